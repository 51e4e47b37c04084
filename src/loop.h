/* What compilers are told of functions and loops, for speed or size alone. */
#ifndef LOGITSCOPE_LOOP_H
#define LOGITSCOPE_LOOP_H

/* For functions of small arrays of words, which stay in registers only if every loop over them is
 * unrolled by the constants that the function is called with, and no other loop is: a longer body
 * needs more registers than there are. */
#define ALWAYS __attribute__((always_inline))
#define OUTLINED __attribute__((noinline))
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#define ROLLED _Pragma("clang loop unroll(disable)")
#else
#define UNROLL
#define ROLLED
#endif

/* Before a loop over weights or a vocabulary, of which WebAssembly's compiler shall make vectors,
 * or four of them a turn where next to nothing is done for each: build.sh leaves all others as they
 * are. */
#if defined __wasm__ && defined __clang__
#define VECTOR _Pragma("clang loop vectorize(enable)")
#define VECTOR4 _Pragma("clang loop vectorize(enable) interleave_count(4)")
#else
#define VECTOR
#define VECTOR4
#endif

#endif
