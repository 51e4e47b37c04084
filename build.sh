#!/bin/sh
# Builds web/engine/logitscope.wasm, the engine as one WebAssembly module with no JavaScript of its
# own. Same sources and same tools give the same bytes.
set -eu
cd "$(dirname "$0")"

output=${1:-web/engine/logitscope.wasm}

if ! command -v emcc >/dev/null 2>&1; then
    if [ -n "${EMSDK:-}" ] && [ -x "$EMSDK/upstream/emscripten/emcc" ]; then
        PATH="$EMSDK/upstream/emscripten:$PATH"
    else
        ./need.sh emcc=emscripten
    fi
fi

# Debian's Emscripten 3.1.6 brings LLVM 14, at half the speed of LLVM 19 where it matters. It drives
# a newer one by environment alone; 19 is the newest that this is known to work with.
use_newer_llvm() {
    [ -z "${EM_LLVM_ROOT:-}" ] || return 0
    emcc --version | head -n 1 | grep -q ' 3\.1\.6[^0-9.]' || return 0
    ./need.sh clang-19=clang-19 wasm-ld-19=lld-19 llvm-ar-19=llvm-19 ||
        echo 'LLVM 19 is not to be had: building with LLVM 14, slower' >&2
    for version in 19 18 17 16; do
        if [ -x "/usr/bin/clang-$version" ] && [ -x "/usr/bin/wasm-ld-$version" ] &&
            [ -x "/usr/bin/llvm-ar-$version" ]; then
            export EM_LLVM_ROOT=/usr/bin
            export EM_LLVM_ADD_VERSION=$version EM_CLANG_ADD_VERSION=$version
            return 0
        fi
    done
}
use_newer_llvm

sources=$(find src -name '*.c' ! -name main.c | LC_ALL=C sort)

# shellcheck disable=SC2086 # a list of words
emcc -std=c11 -Wno-version-check -Wall -Wextra -Wshadow -Wconversion -Werror \
    -O3 -msimd128 -ffp-contract=off -DNDEBUG -Isrc $sources -o "$output" \
    --no-entry -sSTANDALONE_WASM -sMALLOC=emmalloc \
    -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB -sTOTAL_STACK=1MB
