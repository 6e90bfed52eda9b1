/*===- Dynamic.h - a model with symbols, written by hand ----------------------===
 *
 *   x: f32[batch,seq]   mask: b1[batch,seq]   bias: f32[seq]
 *
 *   t[b,s]  = x[b,s] + bias[s]       batch chunks; t is a planned buffer
 *   picked  = how many of mask       finds the symbol `picked` in the data
 *   u       = t where mask           u is a planned buffer of picked elements
 *   y       = u                      output f32[picked], level 1
 *   sums[b] = sum over s of t[b,s]   output f32[batch], level 0
 *
 *===------------------------------------------------------------------------===*/
#ifndef KUMIKO_DYNAMIC_H
#define KUMIKO_DYNAMIC_H

#include "kumiko/kumiko.h"

#ifdef __cplusplus
extern "C" {
#endif

const kumiko_artefact *dynamic_artefact(void);

#ifdef __cplusplus
}
#endif
#endif
