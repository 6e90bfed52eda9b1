/*===- words.h - words of a key and a place, of 64 and of 128 bits -----------===*/
#ifndef KUMIKO_OPS_WORDS_H
#define KUMIKO_OPS_WORDS_H

#include <stdint.h>

#define WORD uint64_t
#define HALF 32
#define NAME(name) name##_64
#include "words.inc"
#undef WORD
#undef HALF
#undef NAME
#define WORD unsigned __int128
#define HALF 64
#define NAME(name) name##_128
#include "words.inc"

typedef unsigned __int128 wide;

#endif
