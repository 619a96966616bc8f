#!/bin/sh
# Fills a directory with everything that an image of Foveate needs besides the program: git with https and ssh, busybox
# as the shell of git's helpers and of CI jobs in the image, certificates, their libraries, and the package lists and
# licences of the Debian packages that contain these files. Nothing else of Debian is copied: a base image with git
# alone is larger than the whole image.
#
#   image-root.sh DIR [PROGRAM...]     also copies the libraries of the programs
set -eu
root=$1
shift

mkdir -p "$root/usr/bin" "$root/usr/lib/git-core" "$root/usr/lib64" "$root/etc/ssl/certs" "$root/var/lib/dpkg" \
  "$root/usr/share/doc" "$root/tmp" "$root/data" "$root/repos"
for directory in bin lib lib64; do
  [ -L "$root/$directory" ] || ln -s "usr/$directory" "$root/$directory"
done

git_core=$(git --exec-path)
cp -L /usr/bin/git /usr/bin/ssh "$(command -v busybox)" "$root/usr/bin/"
# Commands that scripts of CI jobs, and their runners, expect in an image.
for name in sh basename cat chmod cp date dirname env false find grep head id ls mkdir mktemp mv pwd rm rmdir sed \
  sleep sort tail tar test touch tr true uname wc xargs; do
  ln -sf busybox "$root/usr/bin/$name"
done
cp -L "$git_core/git-remote-http" "$root/usr/lib/git-core/"
ln -sf git-remote-http "$root/usr/lib/git-core/git-remote-https"
# Another git, or this one for a file URL, starts these by name.
for name in git-upload-pack git-upload-archive; do
  ln -sf ../../bin/git "$root/usr/lib/git-core/$name"
done
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"

# The linked libraries, and those that the C library loads by name to resolve hosts and users.
libraries=$(for program in "$root/usr/bin/git" "$root/usr/bin/ssh" "$root/usr/bin/busybox" \
  "$root/usr/lib/git-core/git-remote-http" "$@"; do
  ldd "$program" | awk '$3 ~ /^\// { print $3 } $1 ~ /^\// { print $1 }'
done | sort -u)
for library in $libraries; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
libc=$(dirname "$(echo "$libraries" | grep '/libc\.so')")
for name in libnss_dns.so.2 libnss_files.so.2 libresolv.so.2; do
  [ ! -e "$libc/$name" ] || cp -L "$libc/$name" "$root$libc/"
done

echo 'foveate:x:10001:10001::/data:/bin/sh' >"$root/etc/passwd"
echo 'foveate:x:10001:' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
cp /etc/os-release "$root/etc/os-release"
chmod 1777 "$root/tmp"
chown 10001:10001 "$root/data"
chmod 700 "$root/data"

# Package status for vulnerability scanners, licences for readers.
packages=$({
  dpkg-query --search /usr/bin/git /usr/bin/ssh "$(command -v busybox)" /usr/share/ca-certificates 2>/dev/null || true
  for library in $libraries; do
    dpkg-query --search "$library" "/usr$library" "$(readlink -f "$library")" 2>/dev/null || true
  done
} | grep -v diversion | cut -d : -f 1 | tr ', ' '\n\n' | sort -u)
: >"$root/var/lib/dpkg/status"
for package in $packages; do
  dpkg-query --status "$package" >>"$root/var/lib/dpkg/status" 2>/dev/null || continue
  echo >>"$root/var/lib/dpkg/status"
  licence=/usr/share/doc/$package/copyright
  [ -e "$licence" ] || continue
  # Compression reduces a licence to a fifth. Packages of one source have the same text: it is stored once.
  mkdir -p "$root/usr/share/doc/$package"
  gzip --best --no-name --stdout "$licence" >"$root$licence.gz"
  same=$(find "$root/usr/share/doc" -name copyright.gz -type f ! -path "$root$licence.gz" \
    -exec cmp -s "$root$licence.gz" {} \; -print | head -n 1)
  [ -z "$same" ] || ln -sf "../$(basename "$(dirname "$same")")/copyright.gz" "$root$licence.gz"
done
