//! Recognizes network file systems, which send no events for changes that other machines make.

use std::path::Path;

/// Magic numbers (`f_type` of `statfs`) and names of file systems that other machines can write to.
const NETWORK: [(u64, &str); 11] = [
    (0x6969, "nfs"),
    (0x517b, "smb"),
    (0xff53_4d42, "cifs"),
    (0xfe53_4d42, "smb2"),
    (0x0102_1997, "9p"),
    (0x6573_5546, "fuse"),
    (0x5346_414f, "afs"),
    (0x00c3_6400, "ceph"),
    (0x0bd0_0bd0, "lustre"),
    (0x7461_636f, "ocfs2"),
    (0x0116_1970, "gfs2"),
];

/// Returns the name of the network file system that a directory is on; `None` for any other file system.
pub fn network_file_system(directory: &Path) -> Option<&'static str> {
    let found = rustix::fs::statfs(directory).ok()?;
    name(u64::try_from(found.f_type).ok()?)
}

fn name(number: u64) -> Option<&'static str> {
    // Some systems return the number as a sign-extended 32-bit integer.
    let number = number & 0xffff_ffff;
    let known = NETWORK.iter().find(|(known, _)| *known == number)?;
    Some(known.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_known_by_their_numbers() {
        assert_eq!(name(0x6969), Some("nfs"));
        assert_eq!(name(0xffff_ffff_ff53_4d42), Some("cifs"));
        // ext4, tmpfs, overlay.
        for local in [0xef53, 0x0102_1994, 0x794c_7630] {
            assert_eq!(name(local), None);
        }
        assert_eq!(network_file_system(&std::env::temp_dir()), None);
    }
}
