#!/usr/bin/env bash
# deb.sh BUILD VERSION [FOLDER]: a Debian package of what `make install` puts, irrewrite_VERSION_ARCHITECTURE.deb in BUILD or FOLDER, by dpkg-deb; lintian
# looks at it where it is installed, and what it finds fails (DEB_LINTIAN=no: it does not). DEBFULLNAME and DEBEMAIL name another
# maintainer, DEB_COMPRESSION another way to compress. Without dpkg-deb nothing is done, which is said.
set -eu
cd "$(dirname "$0")/../.."
build=$1 version=$2 to=${3:-$1}
if ! type -P dpkg-deb >/dev/null; then
    echo "deb: there is no dpkg-deb here (Debian's dpkg): no package is made"
    exit 0
fi
maintainer="${DEBFULLNAME:-the irrewrite authors} <${DEBEMAIL:-packages@irrewrite.invalid}>"
architecture=$(dpkg --print-architecture)
# The date of the sources: the same package from the same sources.
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
export SOURCE_DATE_EPOCH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$folder/root
umask 022
mkdir "$root"
make -s --no-print-directory -o "$build/irrewrite" -o "$build/libirrewrite.a" -o setup ${CXX:+CXX="$CXX"} install DESTDIR="$root" PREFIX=/usr

strip --remove-section=.comment --remove-section=.note "$root/usr/bin/irrewrite"
strip --strip-debug --remove-section=.comment --remove-section=.note --enable-deterministic-archives "$root/usr/lib/libirrewrite.a"
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions" # where Debian's zsh looks
find "$root/usr/share/man" -type f -exec gzip -9n {} +
documents=$root/usr/share/doc/irrewrite
mkdir -p "$documents" "$root/DEBIAN"
cp README.md rules/README.md "$documents" --backup=numbered
mv "$documents/README.md" "$documents/rules.md"
mv "$documents/README.md.~1~" "$documents/README.md"
gzip -9n "$documents/rules.md"
{
    echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
    echo "Upstream-Name: irrewrite"
    echo "Source: the archive of the sources of irrewrite"
    echo
    echo "Files: *"
    sed -n 's/^Copyright (c) /Copyright: /p' LICENSE
    echo "License: Expat"
    sed -n '/^Permission/,$ { s/^$/./; s/^/ /; p }' LICENSE
} >"$documents/copyright"
date=$(date -u -R -d "@$SOURCE_DATE_EPOCH")
printf 'irrewrite (%s) unstable; urgency=medium\n\n  * Release %s.\n\n -- %s  %s\n' \
    "$version" "$version" "$maintainer" "$date" | gzip -9n >"$documents/changelog.gz"

# What the command needs: as dpkg-shlibdeps finds it, or the packages of its libraries.
depends="libc6, libedit2, libfmt9, libgcc-s1, libstdc++6"
if type -P dpkg-shlibdeps >/dev/null; then
    mkdir "$folder/debian"
    printf 'Source: irrewrite\n\nPackage: irrewrite\nArchitecture: any\n' >"$folder/debian/control"
    found=$(cd "$folder" && dpkg-shlibdeps -O root/usr/bin/irrewrite 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
    depends=${found:-$depends}
fi
cat >"$root/DEBIAN/control" <<CONTROL
Package: irrewrite
Version: $version
Section: devel
Priority: optional
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: $depends
Recommends: g++ | c++-compiler
Suggests: cmake, libfmt-dev, librapidcheck-dev, z3 | cvc5
Description: source-to-source rewriting of programs by declarative rules
 The command irrewrite reads programs as graphs of operations, rewrites them
 by the rules of rule files, and prints them as IR, as C++ with OpenMP, or as
 CUDA. The shipped rules fuse array programs into loops. It also checks rules
 on random programs and shows what each rule did.
 .
 The package holds the command, the rules, pages of the manual, completions
 for shells, files for Vim and Neovim, a language server, a CMake package,
 and a library for tests of rules in C++.
CONTROL
(cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
package=$to/irrewrite_${version}_$architecture.deb
dpkg-deb --root-owner-group ${DEB_COMPRESSION:+-Z"$DEB_COMPRESSION"} --build "$root" "$package" >/dev/null
echo "deb: $package"
if [ "${DEB_LINTIAN:-yes}" = no ]; then
    exit 0
elif type -P lintian >/dev/null; then
    lintian --allow-root --fail-on error,warning "$package"
    echo "deb: lintian finds nothing wrong"
else
    echo "deb: there is no lintian here, which would look at it"
fi
