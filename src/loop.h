/* Hints to the compiler about functions and loops; they change only speed and size. */
#ifndef LOGITSCOPE_LOOP_H
#define LOGITSCOPE_LOOP_H

/* ALWAYS is for functions over small arrays of vector words. The arrays stay in registers only if
 * every loop over them is unrolled, with constant bounds from the caller. No other loop may be
 * unrolled, because a longer body needs too many registers. */
#define ALWAYS __attribute__((always_inline))
#define OUTLINED __attribute__((noinline))
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#define ROLLED _Pragma("clang loop unroll(disable)")
#else
#define UNROLL
#define ROLLED
#endif

/* VECTOR before a loop tells the compiler for WebAssembly to vectorise it. VECTOR4 also interleaves
 * four words; it is for very short loop bodies. build.sh makes other loops scalar. */
#if defined __wasm__ && defined __clang__
#define VECTOR _Pragma("clang loop vectorize(enable)")
#define VECTOR4 _Pragma("clang loop vectorize(enable) interleave_count(4)")
#else
#define VECTOR
#define VECTOR4
#endif

#endif
