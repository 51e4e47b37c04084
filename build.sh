#!/bin/sh
# Builds web/engine/logitscope.wasm, the engine as one WebAssembly module without generated JavaScript,
# and beside it logitscope-simd.wasm and logitscope-relaxed.wasm: the loops of quantised matrices for
# SIMD128 and for relaxed SIMD. These modules have no memory or data; one of them runs in the memory of
# the first. logitscope-threads*.wasm are the same three for several threads in one shared memory. Equal sources and tools give equal bytes. --tools only installs missing programs.
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

# Debian's Emscripten 3.1.6 brings LLVM 14, half as fast as LLVM 19 in the inner loops. Environment
# variables make it use a newer LLVM; 19 is the newest known to work.
use_newer_llvm() {
    [ -z "${EM_LLVM_ROOT:-}" ] || return 0
    emcc --version | sed -n 1p | grep -q ' 3\.1\.6[^0-9.]' || return 0
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
[ "${1:-}" != --tools ] || exit 0

flags='-std=c11 -Wno-version-check -Wall -Wextra -Wshadow -Wconversion -Werror -msimd128
    -mbulk-memory -mnontrapping-fptoint -ffp-contract=off -DNDEBUG'
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
ln -s "$PWD/src" "$objects/src"

# A file of loops over weights or vocabularies is compiled for speed: its first line is
# /* build: -O2 */. A loop that gains by unrolling or vectors asks for it (src/loop.h); the host unrolls
# others by itself. All other files are compiled for size. Without -finline-functions emcc would not
# even inline functions that are smaller than their call.
fast='-O2 -fno-unroll-loops -fno-vectorize'
small='-Oz -finline-functions'
# Seven files to a call: emcc starts Python, which takes longer than to compile a file.
# shellcheck disable=SC2086 # lists of words
compile() {
    mkdir "$objects/$1"
    (cd src && grep "$2" -Fx '/* build: -O2 */' ./*.c) | grep -v quants_simd.c | LC_ALL=C sort |
        sed 's,^\.,../src,' | (cd "$objects/$1" &&
        xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 7 emcc $flags $3 -c)
}
# Linked group by group: similar code compresses better side by side.
compile fast -l "$fast"
compile small -L "$small"

# Structs and samplers for JavaScript and Python: web/engine/layout.js and sampler-sources.js.
# shellcheck disable=SC2086 # lists of words
emcc $flags -Xclang -fdump-record-layouts-complete -fsyntax-only src/wasm.c | node web/c-tables.js

# Optimised for size twice here and once more below: each pass profits from the one before.
emcc -Oz -Wno-version-check "$objects"/fast/*.o "$objects"/small/*.o -o "$output" --no-entry -sSTANDALONE_WASM \
    -sMALLOC=emmalloc -sTOTAL_STACK=1MB -sINITIAL_MEMORY=2MB -sALLOW_MEMORY_GROWTH \
    -sMAXIMUM_MEMORY=4GB -sBINARYEN_EXTRA_PASSES=-Oz -Wl,--export-table,--growable-table

# Linked without emcc, because its optimizer may not know the instructions. No library is needed:
# -fno-builtin keeps loops from becoming calls of memcpy.
link=${EM_LLVM_ROOT:+$EM_LLVM_ROOT/wasm-ld-$EM_LLVM_ADD_VERSION}
[ -n "$link" ] || link=$(dirname "$(readlink -f "$(command -v emcc)")")/../bin/wasm-ld
optimize=$(dirname "$link")/wasm-opt
[ ! -x "$optimize" ] || "$optimize" --enable-simd --enable-bulk-memory --enable-nontrapping-float-to-int \
    --enable-mutable-globals --enable-sign-ext -Oz "$output" -o "$output"
shared='--shared-memory --max-memory=4294967296 --no-check-features'
# shellcheck disable=SC2086 # lists of words
loops() {
    emcc $flags $fast "$1" -fno-builtin -c src/quants_simd.c -o "$objects/loops.o" || return 1
    for with in '' -threads; do
        "$link" --no-entry --import-memory ${with:+$shared} --strip-all -O2 --stack-first \
            -z stack-size=16384 --export=quantise_simd --export=matmul_quants_simd \
            --export=__stack_pointer "$objects/loops.o" -o "${output%.wasm}$with-$2.wasm" || return 1
    done
}
loops -msimd128 simd
rm -f "${output%.wasm}"-relaxed.wasm "${output%.wasm}"-threads*-relaxed.wasm
loops -mrelaxed-simd relaxed 2>"$objects/log" ||
    echo "no relaxed SIMD here, built $output without: $(head -n 1 "$objects/log")" >&2

# The module with threads, for Node and for pages that are isolated: the memory is shared and comes from
# JavaScript. Only files that see the table of loops are compiled again. The libraries need no atomics,
# because one thread alone allocates.
# shellcheck disable=SC2086 # lists of words
threads() {
    mkdir "$objects/threads"
    (cd src && grep -lE '"(kernels|threads|model|model_file|session|probe|chain|chain_part|shortlist)\.h"' ./*.c) |
        grep -v quants_simd.c | LC_ALL=C sort | sed 's,^\.,../src,' | (cd "$objects/threads" &&
        xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 7 emcc $flags -matomics -DLOGITSCOPE_THREADS $fast -c)
    for object in "$objects"/fast/*.o "$objects"/small/*.o; do
        [ ! -e "$objects/threads/$(basename "$object")" ] || rm "$object"
    done
    libraries=$(em-config CACHE)/sysroot/lib/wasm32-emscripten
    "$link" --no-entry --import-memory --export-memory --import-undefined $shared \
        --initial-memory=2097152 --strip-all -O2 --stack-first -z stack-size=1048576 \
        --export-table --growable-table --export=_initialize \
        --export=__stack_pointer "$libraries/crt1_reactor.o" "$objects"/threads/*.o "$objects"/fast/*.o \
        "$objects"/small/*.o -L"$libraries" -lstandalonewasm-memgrow -lemmalloc -lc -lcompiler_rt -o "$1"
}
rm -f "${output%.wasm}-threads.wasm"
threads "${output%.wasm}-threads.wasm" 2>"$objects/log" ||
    echo "built $output without threads: $(head -n 1 "$objects/log")" >&2
