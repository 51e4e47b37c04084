#!/bin/sh
# Installs the programs that are missing: need.sh PROGRAM=PACKAGE ... (Debian's package names).
# Uses apt-get as root or through sudo; elsewhere prints what to install and fails.
set -u

missing=''
packages=''
for pair; do
    program=${pair%%=*}
    command -v "$program" >/dev/null 2>&1 && continue
    missing="$missing $program"
    packages="$packages ${pair#*=}"
done
[ -z "$missing" ] && exit 0

as_root=''
if [ "$(id -u)" -ne 0 ]; then
    as_root='sudo -n'
    sudo -n true 2>/dev/null || as_root=none
fi

if command -v apt-get >/dev/null 2>&1 && [ "$as_root" != none ]; then
    echo "installing$packages" >&2
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # both are lists of words
    { $as_root apt-get update -qq &&
        $as_root apt-get install -y -qq --no-install-recommends $packages; } >/dev/null && exit 0
    echo "apt-get could not install$packages" >&2
    exit 1
fi

echo "missing:$missing" >&2
if command -v apt-get >/dev/null 2>&1; then
    echo "install with: sudo apt-get install$packages" >&2
elif command -v brew >/dev/null 2>&1; then
    echo "install with: brew install emscripten llvm (or what provides$missing)" >&2
elif command -v dnf >/dev/null 2>&1; then
    echo "install with: sudo dnf install (what provides$missing); emcc comes from emsdk" >&2
else
    echo "install what provides them (Debian's packages:$packages);" \
        "emcc comes from Emscripten's emsdk" >&2
fi
exit 1
