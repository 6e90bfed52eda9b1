"""RNN, GRU and LSTM: what the ONNX suite leaves out."""
import numpy as np

_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
_FUNCTIONS = {"RNN": 1, "GRU": 2, "LSTM": 3}


def _layer(cases, op, name, *, direction="forward", hidden=3, steps=5, batch=2, size=4, bias=True, lens=None,
           initial=True, peepholes=False, attributes=None, outputs=None, opset=17):
    """Layout 0 only: ONNX Runtime knows no other."""
    directions, gates = (2 if direction == "bidirectional" else 1), _GATES[op]
    inputs = [
        cases.real(steps, batch, size),
        cases.real(directions, gates * hidden, size, scale=0.5),
        cases.real(directions, gates * hidden, hidden, scale=0.5),
        cases.real(directions, 2 * gates * hidden, scale=0.5) if bias else None,
        np.array(lens, np.int32) if lens is not None else None,
        cases.real(directions, batch, hidden) if initial else None,
    ]
    if op == "LSTM":
        inputs.append(cases.real(directions, batch, hidden) if initial else None)
        inputs.append(cases.real(directions, 3 * hidden) if peepholes else None)
    count = 3 if op == "LSTM" else 2
    cases.add(f"{op.lower()}_{name}", op, inputs, {"hidden_size": hidden, "direction": direction, **(attributes or {})},
              outputs=outputs or count, opset=opset)


def add(cases):
    for op in _GATES:
        for direction in ("forward", "reverse", "bidirectional"):
            _layer(cases, op, f"{direction}_lens", direction=direction, batch=3, lens=[5, 2, 3])
            _layer(cases, op, f"{direction}_bare", direction=direction, bias=False, initial=False)
        _layer(cases, op, "clip", attributes={"clip": 0.3})
        _layer(cases, op, "old", opset=7)
        _layer(cases, op, "newest", opset=22)
        _layer(cases, op, "one_output", outputs=[0, 1])
        for function, numbers in (("Relu", {}), ("Tanh", {}), ("Sigmoid", {}), ("Softsign", {}), ("Softplus", {}),
                                  ("Affine", {"activation_alpha": 0.7, "activation_beta": 0.1}),
                                  ("LeakyRelu", {"activation_alpha": 0.2}), ("LeakyRelu", {}),
                                  ("ThresholdedRelu", {"activation_alpha": 0.3}),
                                  ("ScaledTanh", {"activation_alpha": 0.8, "activation_beta": 1.2}),
                                  ("HardSigmoid", {"activation_alpha": 0.3, "activation_beta": 0.4}),
                                  ("HardSigmoid", {}), ("Elu", {"activation_alpha": 0.6}), ("Elu", {})):
            count = _FUNCTIONS[op]
            attributes = {key: [value] * count for key, value in numbers.items()}
            # Two steps: with functions that are not bounded, states grow fast.
            _layer(cases, op, f"{function.lower()}{'_numbers' if numbers else ''}", steps=2,
                   attributes={"activations": [function] * count, **attributes})
        # Different functions in both directions: each takes its own numbers.
        names = ["LeakyRelu", "Tanh", "HardSigmoid"][: _FUNCTIONS[op]] + ["Sigmoid", "Elu", "Relu"][: _FUNCTIONS[op]]
        _layer(cases, op, "mixed", direction="bidirectional",
               attributes={"activations": names, "activation_alpha": [0.1, 0.2, 0.3], "activation_beta": [0.4]})
    for direction in ("forward", "bidirectional"):
        _layer(cases, "GRU", f"linear_{direction}", direction=direction, attributes={"linear_before_reset": 1})
        _layer(cases, "GRU", f"linear_unbiased_{direction}", direction=direction, bias=False,
               attributes={"linear_before_reset": 1})
        _layer(cases, "LSTM", f"peepholes_{direction}", direction=direction, peepholes=True, batch=3, lens=[2, 5, 4])
        _layer(cases, "LSTM", f"coupled_{direction}", direction=direction, attributes={"input_forget": 1})
    _layer(cases, "LSTM", "clip_peepholes", peepholes=True, attributes={"clip": 0.5})
    _layer(cases, "GRU", "clip_linear", attributes={"clip": 0.2, "linear_before_reset": 1})
