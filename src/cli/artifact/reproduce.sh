#!/bin/sh
# Repeats every run of this archive, and compares results, tables, models and figures with those in it.
# The program is `fedbits` in PATH, or the one that the variable FEDBITS names.
set -u
trap 'exit 130' INT
fedbits=${FEDBITS:-fedbits}
case $fedbits in
/*) ;;
*/*) fedbits=$PWD/$fedbits ;;
esac
CDPATH= cd -- "$(dirname -- "$0")" || exit 2
if ! version=$("$fedbits" --version 2>&1); then
    echo 'there is no program fedbits: install version {{version}}, or set FEDBITS to its path' >&2
    exit 2
fi
[ "$version" = 'fedbits {{version}}' ] ||
    echo "the results are of fedbits {{version}}, this is $version: results may differ" >&2
wrong=
verify() {
    printf '== %s\n' "$1"
    "$fedbits" verify "$@" || wrong="$wrong
  $1"
}
not_repeated() {
    wrong="$wrong
  $1"
}
sums=$(command -v sha256sum || echo 'shasum -a 256')
$sums -c SHA256SUMS >/dev/null 2>&1 || not_repeated 'files that SHA256SUMS names: sha256sum -c SHA256SUMS says which'
{{steps}}
if [ -n "$wrong" ]; then
    printf 'these differ, or were not repeated:%s\n' "$wrong" >&2
    exit 1
fi
echo 'all is as in the archive'
