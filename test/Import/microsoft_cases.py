"""Ops of com.microsoft, as ONNX Runtime's optimiser and exporters write them."""
import numpy as np

_DOMAIN = "com.microsoft"


def add(cases):
    for family in (_activations, _normalizations, _products, _fused_convolutions, _bit_weights, _attention,
                   _multi_head, _grouped, _rotary, _integer_attention):
        family(cases)


def _add(cases, name, op, inputs, attributes=None, **more):
    cases.add("ms_" + name, op, inputs, attributes, domain=_DOMAIN, **more)


def _activations(cases):
    x, bias = cases.real(3, 5, scale=2), cases.real(5)
    _add(cases, "gelu", "Gelu", [x])
    _add(cases, "bias_gelu", "BiasGelu", [x, bias])
    _add(cases, "fast_gelu", "FastGelu", [x])
    _add(cases, "fast_gelu_bias", "FastGelu", [x, bias])
    _add(cases, "quick_gelu", "QuickGelu", [x])
    _add(cases, "quick_gelu_alpha", "QuickGelu", [x], {"alpha": 0.7})


def _normalizations(cases):
    x, skip, gamma, beta, bias = cases.real(2, 3, 8), cases.real(2, 3, 8), cases.real(8), cases.real(8), cases.real(8)
    _add(cases, "skip_layer_norm", "SkipLayerNormalization", [x, skip, gamma, beta], {"epsilon": 1e-5})
    _add(cases, "skip_layer_norm_all", "SkipLayerNormalization", [x, skip, gamma, beta, bias], outputs=[1, 0, 0, 1])
    _add(cases, "skip_layer_norm_plain", "SkipLayerNormalization", [x, skip, gamma], {"epsilon": 1e-3})
    _add(cases, "skip_layer_norm_shared", "SkipLayerNormalization", [x, cases.real(1, 3, 8), gamma, beta])
    _add(cases, "skip_simplified", "SkipSimplifiedLayerNormalization", [x, skip, gamma], {"epsilon": 1e-5})
    _add(cases, "skip_simplified_all", "SkipSimplifiedLayerNormalization", [x, skip, gamma, bias],
         outputs=[1, 0, 0, 1])
    cases.add("ms_simplified", "SimplifiedLayerNormalization", [x, gamma], {"axis": -1, "epsilon": 1e-4}, opset=17)
    ids, segments = cases.whole(0, 9, 2, 4, dtype=np.int32), cases.whole(0, 1, 2, 4, dtype=np.int32)
    words, places, kinds = cases.real(10, 8), cases.real(6, 8), cases.real(2, 8)
    mask = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)
    _add(cases, "embed", "EmbedLayerNormalization", [ids, segments, words, places, kinds, gamma, beta, mask],
         {"epsilon": 1e-5}, outputs=2)
    _add(cases, "embed_plain", "EmbedLayerNormalization", [ids, None, words, places, None, gamma, beta], outputs=2)
    _add(cases, "embed_positions", "EmbedLayerNormalization",
         [ids, segments, words, places, kinds, gamma, beta, None, cases.whole(0, 5, 2, 4, dtype=np.int32)],
         outputs=[1, 1, 1])


def _products(cases):
    a, b = cases.real(2, 3, 4), cases.real(2, 4, 5)
    _add(cases, "fused_matmul", "FusedMatMul", [a, b], {"alpha": 0.5})
    for left in (0, 1):
        for right in (0, 1):
            x = cases.real(2, 4, 3) if left else a
            y = cases.real(2, 5, 4) if right else b
            _add(cases, f"fused_matmul_{left}{right}", "FusedMatMul", [x, y], {"transA": left, "transB": right})
            _add(cases, f"transpose_matmul_{left}{right}", "TransposeMatMul", [x, y],
                 {"transA": left, "transB": right, "alpha": 2.0})
            # The product's own dimension stands first, the batch behind it.
            x = cases.real(4, 2, 3) if left else cases.real(3, 2, 4)
            y = cases.real(5, 2, 4) if right else cases.real(4, 2, 5)
            _add(cases, f"fused_matmul_batch_{left}{right}", "FusedMatMul", [x, y],
                 {"transA": left, "transB": right, "transBatchA": 1, "transBatchB": 1})
    for name, attributes in (("Relu", {}), ("LeakyRelu", {"activation_alpha": 0.3}), ("Tanh", {}), ("Sigmoid", {})):
        _add(cases, f"fused_gemm_{name.lower()}", "FusedGemm", [cases.real(3, 4), cases.real(5, 4), cases.real(5)],
             {"activation": name, "transB": 1, "alpha": 0.5, "beta": 2.0, **attributes})


def _fused_convolutions(cases):
    x, w, b = cases.real(1, 4, 6, 6), cases.real(6, 4, 3, 3, scale=0.3), cases.real(6)
    z = cases.real(1, 6, 6, 6)
    pads = {"pads": [1, 1, 1, 1], "kernel_shape": [3, 3]}
    for name, numbers in (("Relu", None), ("LeakyRelu", [0.2]), ("Tanh", None), ("Sigmoid", None), ("Clip", [0.0, 0.5]),
                          ("HardSigmoid", [0.3, 0.4])):
        more = {"activation_params": numbers} if numbers else {}
        _add(cases, f"fused_conv_{name.lower()}", "FusedConv", [x, w, b], {"activation": name, **pads, **more})
    _add(cases, "fused_conv_sum", "FusedConv", [x, w, b, z], {"activation": "Relu", **pads})
    _add(cases, "fused_conv_unbiased", "FusedConv", [x, w, None, z], {"activation": "Relu", **pads})


def _bit_weights(cases):
    for bits in (4, 8):
        for inner, size in ((32, 16), (40, 16), (64, 32)):
            features, blocks = 3, (inner + size - 1) // size
            a = cases.real(2, inner)
            b = cases.whole(0, 255, features, blocks, size * bits // 8, dtype=np.uint8)
            scales = np.abs(cases.real(features, blocks, scale=0.1)).reshape(-1)
            attributes = {"K": inner, "N": features, "bits": bits, "block_size": size}
            zeros = cases.whole(0, 255, features * ((blocks * bits + 7) // 8), dtype=np.uint8)
            name = f"nbits_{bits}_{inner}_{size}"
            _add(cases, name, "MatMulNBits", [a, b, scales], attributes, constant=(1, 2))
            _add(cases, name + "_zeros", "MatMulNBits", [a, b, scales, zeros], attributes, constant=(1, 2, 3))
            _add(cases, name + "_bias", "MatMulNBits", [a, b, scales, None, None, cases.real(features)], attributes,
                 constant=(1, 2, 5))
    a, b, scales = cases.real(2, 32), cases.whole(0, 255, 3, 2, 8, dtype=np.uint8), cases.real(6, scale=0.1)
    group = cases.rng.permutation(np.arange(32, dtype=np.int32) // 16).astype(np.int32)
    attributes = {"K": 32, "N": 3, "bits": 4, "block_size": 16}
    _add(cases, "nbits_groups", "MatMulNBits", [a, b, scales, None, group], attributes, constant=(1, 2, 4),
         may_refuse=True)
    _add(cases, "nbits_float_zeros", "MatMulNBits", [a, b, scales, cases.real(6)], attributes, constant=(1, 2, 3),
         may_refuse=True)


def _attention(cases):
    x, w, b = cases.real(2, 3, 8), cases.real(8, 24, scale=0.4), cases.real(24)
    heads = {"num_heads": 2}
    masks = {
        "lengths": np.array([3, 2], np.int32),
        "ranges": np.array([3, 2, 1, 0], np.int32),
        "flags": np.array([[1, 1, 0], [1, 1, 1]], np.int32),
        "square": cases.whole(0, 1, 2, 3, 3, dtype=np.int32),
    }
    _add(cases, "attention", "Attention", [x, w, b], heads)
    _add(cases, "attention_causal", "Attention", [x, w, b], {"unidirectional": 1, **heads})
    _add(cases, "attention_scale", "Attention", [x, w, b], {"scale": 0.3, **heads})
    _add(cases, "attention_present", "Attention", [x, w, b], heads, outputs=2)
    for name, mask in masks.items():
        _add(cases, f"attention_{name}", "Attention", [x, w, b, mask], heads)
    _add(cases, "attention_filter", "Attention", [x, w, b, masks["flags"]], {"mask_filter_value": -2.0, **heads})
    past = cases.real(2, 2, 2, 5, 4)
    _add(cases, "attention_past", "Attention", [x, w, b, None, past], heads, outputs=2)
    _add(cases, "attention_past_causal", "Attention", [x, w, b, cases.whole(0, 1, 2, 8, dtype=np.int32), past],
         {"unidirectional": 1, **heads}, outputs=2)
    _add(cases, "attention_bias", "Attention", [x, w, b, None, None, cases.real(2, 2, 3, 3)], heads)
    _add(cases, "attention_sizes", "Attention", [x, cases.real(8, 22), cases.real(22)],
         {"qkv_hidden_sizes": [8, 8, 6], **heads})


def _multi_head(cases):
    q, k, v = cases.real(2, 3, 8), cases.real(2, 5, 8), cases.real(2, 5, 8)
    heads = {"num_heads": 2}
    _add(cases, "mha", "MultiHeadAttention", [q, k, v], heads)
    _add(cases, "mha_bias", "MultiHeadAttention", [q, k, v, cases.real(24)], heads)
    _add(cases, "mha_wide_values", "MultiHeadAttention", [q, k, cases.real(2, 5, 12), cases.real(28)], heads)
    _add(cases, "mha_scale", "MultiHeadAttention", [q, k, v], {"scale": 0.2, **heads})
    _add(cases, "mha_flags", "MultiHeadAttention",
         [q, k, v, None, np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)], heads)
    _add(cases, "mha_lengths", "MultiHeadAttention", [q, k, v, None, np.array([4, 5], np.int32)], heads)
    _add(cases, "mha_scores", "MultiHeadAttention", [q, k, v, None, None, cases.real(1, 2, 3, 5)], heads)
    _add(cases, "mha_heads", "MultiHeadAttention", [q, cases.real(2, 2, 5, 4), cases.real(2, 2, 5, 4)], heads)
    same = cases.real(2, 3, 8)
    _add(cases, "mha_causal", "MultiHeadAttention", [q, same, same], {"unidirectional": 1, **heads})
    _add(cases, "mha_past", "MultiHeadAttention",
         [q, same, same, None, None, None, cases.real(2, 2, 4, 4), cases.real(2, 2, 4, 4)], heads, outputs=3)


def _grouped(cases):
    def run(name, lengths, total, held, queries, attributes=None, rotary=False, packed=False, bias=None):
        batch, heads, key_heads, depth = len(lengths), 4, 2, 16
        q = cases.real(batch, queries, heads * depth)
        k, v = (cases.real(batch, queries, key_heads * depth) for _ in range(2))
        if packed:
            q, k, v = np.concatenate([q, k, v], axis=2), None, None
        past = [cases.real(batch, key_heads, held, depth) for _ in range(2)] if held else [None, None]
        angles = [cases.real(16, depth // 2) for _ in range(2)] if rotary else [None, None]
        inputs = [q, k, v, *past, np.array(lengths, np.int32) - 1, np.array(total, np.int32), *angles, None, bias]
        _add(cases, f"gqa_{name}", "GroupQueryAttention", inputs,
             {"num_heads": heads, "kv_num_heads": key_heads, "do_rotary": int(rotary), **(attributes or {})},
             outputs=3)

    run("prompt", [5, 5], 5, 0, 5)
    run("prompt_rotary", [5, 5], 5, 0, 5, rotary=True)
    run("prompt_interleaved", [5, 5], 5, 0, 5, {"rotary_interleaved": 1}, rotary=True)
    run("prompt_packed", [5], 5, 0, 5, packed=True)
    run("prompt_window", [6], 6, 0, 6, {"local_window_size": 2})
    run("prompt_softcap", [5, 5], 5, 0, 5, {"softcap": 1.5, "scale": 0.7})
    run("token", [6, 6], 6, 5, 1)
    run("token_rotary", [6, 4], 6, 5, 1, rotary=True)
    run("token_lengths", [6, 3], 6, 5, 1)
    run("token_window", [6, 6], 6, 5, 1, {"local_window_size": 3})


def _rotary(cases):
    x, angles = cases.real(2, 3, 32), [cases.real(20, 8) for _ in range(2)]
    ids = np.array([[4, 0, 7], [1, 2, 3]], np.int64)
    for name, attributes in (("", {}), ("_interleaved", {"interleaved": 1})):
        _add(cases, f"rotary{name}", "RotaryEmbedding", [x, ids, *angles], attributes)
        _add(cases, f"rotary_first{name}", "RotaryEmbedding", [x, np.array([5], np.int64), *angles], attributes)
        _add(cases, f"rotary_heads{name}", "RotaryEmbedding", [cases.real(2, 4, 3, 16), ids, *angles], attributes)
        _add(cases, f"rotary_part{name}", "RotaryEmbedding",
             [cases.real(2, 3, 64), ids, *angles], {"num_heads": 2, "rotary_embedding_dim": 16, **attributes})


def _integer_attention(cases):
    x, w, b = cases.whole(0, 255, 2, 3, 8, dtype=np.uint8), cases.whole(-127, 127, 8, 24), cases.real(24)
    scale, columns = np.array(0.02, np.float32), np.abs(cases.real(24, scale=0.01))
    zero = np.array(120, np.uint8)
    _add(cases, "qattention", "QAttention", [x, w, b, scale, scale / 2, None, zero, np.array(3, np.int8)],
         {"num_heads": 2}, constant=(1, 4, 7))
    _add(cases, "qattention_columns", "QAttention",
         [x, w, b, scale, columns, np.array([[1, 1, 0], [1, 1, 1]], np.int32), zero, np.zeros(24, np.int8)],
         {"num_heads": 2, "unidirectional": 1}, constant=(1, 4, 7))
