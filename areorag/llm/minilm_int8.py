"""The 8-bit form of the default embedder: the same network with its dense layers in integers, for passages in bulk.

In 32-bit floats a passage of 160 tokens takes 3.4 GFLOP, all of it in dense layers that run at the speed of the processor: no
batch size makes two cores embed 40 passages a second. In 8-bit integers those layers take a third of the time.

Weights are rounded by output channel, activations by text (symmetric weights, asymmetric activations). The loss comes
from a few large activation channels; they are moved into the weights before rounding (SmoothQuant, Xiao et al. 2023,
eq. 4: s_j = max|X_j|^α / max|W_j|^(1−α)), with the maxima taken over ``calibration.txt``. A processor without
8-bit dot products can saturate, so the graph is compared with the 32-bit one on the same texts before it is used.
"""

from __future__ import annotations

import os
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError

VERSION = "int8-1"  # part of the graph's file name: raise it when `quantise` or the calibration changes
ALPHA = 0.7
MIN_COSINE = 0.98  # to the 32-bit vector, on every calibration text; below, the 32-bit graph is used

Arrays = dict[str, np.ndarray]


class UnlikeFloatError(ModelError):
    """The 8-bit graph does not reproduce the 32-bit one on this processor."""


def calibration_texts() -> list[str]:
    """The texts the activation maxima are taken over, and the same joined by fours (passages are longer than lines)."""
    lines = (resources.files(__package__) / "calibration.txt").read_text("utf-8").splitlines()
    return lines + [" ".join(lines[i : i + 4]) for i in range(0, len(lines), 4)]


def _dense(model: Any) -> dict[str, str]:
    """Weight name → input name of every dense layer."""
    constant = {i.name for i in model.graph.initializer}
    return {n.input[1]: n.input[0] for n in model.graph.node if n.op_type == "MatMul" and n.input[1] in constant}


def activation_maxima(graph: Path, feeds: list[dict[str, np.ndarray]]) -> Arrays:
    """Largest |activation| of every channel of every dense layer's input: input name → (channels,)."""
    import onnx
    import onnxruntime as ort
    from onnx import TensorProto, helper

    model = onnx.load(str(graph))
    names = sorted(set(_dense(model).values()))
    model.graph.output.extend(helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in names)
    options = ort.SessionOptions()
    options.log_severity_level = 3
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    out: Arrays = {}
    for feed in feeds:
        for name, value in zip(names, session.run(names, feed), strict=True):
            high = np.abs(value).max(axis=(0, 1))
            out[name] = np.maximum(out.get(name, high), high)
    return out


def smoothing(weights: Arrays, inputs: dict[str, str], maxima: Arrays) -> Arrays:
    """Input name → factor of every channel, geometric mean 1; layers that share an input share the factors."""
    out: Arrays = {}
    for name, high in maxima.items():
        w = np.max([np.abs(weights[k]).max(axis=1) for k, x in inputs.items() if x == name], axis=0)
        s = np.maximum(high, 1e-5) ** ALPHA / np.maximum(w, 1e-5) ** (1.0 - ALPHA)
        out[name] = (s / np.exp(np.log(s).mean())).astype(np.float32)
    return out


def quantise(graph: Path, target: Path, maxima: Arrays) -> None:
    """Write the 8-bit form of the 32-bit `graph` to `target`, whole or not at all."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(str(graph))
    constants = {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}
    inputs = _dense(model)
    weights = {k: constants.pop(k).astype(np.float32) for k in inputs}
    factors = smoothing(weights, inputs, maxima)
    nodes: list[Any] = []

    def op(kind: str, ins: list[str], *outs: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(kind, ins, list(outs), **attributes))
        return outs[0]

    rounded: set[str] = set()
    for node in model.graph.node:
        if node.op_type != "MatMul" or node.input[1] not in weights:
            nodes.append(node)
            continue
        x, name, out = node.input[0], node.input[1], node.output[0]
        w = weights[name] * factors[x][:, None]
        scale = np.maximum(np.abs(w).max(axis=0), 1e-12) / 127.0
        constants[f"{name}.q"] = np.clip(np.rint(w / scale), -127, 127).astype(np.int8)
        constants[f"{name}.s"] = scale.astype(np.float32)
        constants[f"{name}.z"] = np.zeros((), np.int8)
        if x not in rounded:
            constants[f"{x}.f"] = (1.0 / factors[x]).astype(np.float32)
            op("DynamicQuantizeLinear", [op("Mul", [x, f"{x}.f"], f"{x}.e")], f"{x}.q", f"{x}.s", f"{x}.z")
            rounded.add(x)
        whole = op("MatMulInteger", [f"{x}.q", f"{name}.q", f"{x}.z", f"{name}.z"], f"{out}.i")
        both = op("Mul", [f"{x}.s", f"{name}.s"], f"{out}.s")
        op("Mul", [op("Cast", [whole], f"{out}.c", to=TensorProto.FLOAT), both], out)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    del model.graph.initializer[:]
    model.graph.initializer.extend(numpy_helper.from_array(np.ascontiguousarray(v), k) for k, v in constants.items())
    fd, tmp = tempfile.mkstemp(dir=target.parent, suffix=".onnx")
    os.close(fd)
    onnx.save(model, tmp)
    os.replace(tmp, target)
