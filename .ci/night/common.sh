# What parts of the night have in common; read by them.
set -euo pipefail
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR=$target CARGO_TERM_PROGRESS_WHEN=never
folder=${NIGHT_FOLDER:?is set by .ci/nightly}
seed=${NIGHT_SEED:?is set by .ci/nightly}
# Programs of the release build for this processor: the examples by `.ci/promise build`, `fedbits` with them by `.ci/native`.
native=$target/native/release

# Leaves the part out.
left_out() {
    echo "$1"
    exit 77
}

# A program of Debian's, if it can be had: its command, its package.
have() {
    if ! command -v "$1" >/dev/null && command -v apt-get >/dev/null && [[ $(id -u) == 0 ]]; then
        { apt-get update -qq && apt-get install -y -qq "$2"; } >/dev/null 2>&1 || true
    fi
    command -v "$1" >/dev/null
}
