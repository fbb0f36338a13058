#!/bin/sh
# Repeats every run of this archive, and compares results, tables, models and figures with those in it.
# The program is `fedbits` in PATH, or the one that the variable FEDBITS names.
set -u
cd "$(dirname "$0")" || exit 2
fedbits=${FEDBITS:-fedbits}
if ! version=$("$fedbits" --version 2>&1); then
    echo 'there is no program fedbits: install version {{version}}, or set FEDBITS to its path' >&2
    exit 2
fi
[ "$version" = 'fedbits {{version}}' ] ||
    echo "the results are of fedbits {{version}}, this is $version: results may differ" >&2
status=0
verify() {
    printf '== %s\n' "$1"
    "$fedbits" verify "$@" || status=1
}
not_repeated() {
    echo "$1" >&2
    status=1
}
{{steps}}
if [ $status -eq 0 ]; then
    echo 'all is as in the archive'
else
    echo 'something differs, or was not repeated' >&2
fi
exit $status
