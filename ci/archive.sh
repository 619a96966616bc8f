#!/bin/sh
# Packs the release archive of one target: the program, its manual pages, completions, the systemd unit, the
# settings, the licence. Writes the SHA-256 of the archive beside it.
#
#   archive.sh PROGRAM TARGET DIR      writes DIR/foveate-VERSION-TARGET.tar.gz and .tar.gz.sha256
set -eu
program=$1 target=$2 out=$3
version=$("$program" -V | cut -d ' ' -f 2)
name=foveate-$version-$target
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/$name/completions" "$out"

cp "$program" "$work/$name/foveate"
"$program" man "$work/$name/man/man1"
"$program" completions bash >"$work/$name/completions/foveate.bash"
"$program" completions zsh >"$work/$name/completions/_foveate"
"$program" completions fish >"$work/$name/completions/foveate.fish"
cp LICENSE README.md CHANGELOG.md config/default.toml config/systemd/foveate.service "$work/$name/"
chmod -R u=rwX,go=rX "$work/$name"

# Reproducible: sorted names, no owner, the time of the commit.
time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" -cf - "$name" \
  | gzip -9n >"$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
echo "$out/$name.tar.gz"
