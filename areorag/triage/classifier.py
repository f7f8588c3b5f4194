"""Detector and conflict classifier with shipped weights (AreoRAG Eq. 16 and 19).

Five networks of either kind, one a fold of the cross-validation, are averaged in logits; a temperature fitted on the
held-out folds calibrates each. The weights file holds arrays only (``allow_pickle=False``).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ModelError
from .features import feature_groups, feature_names
from .network import FloatArray, Network, softmax

CATEGORIES = ("noise", "instrument", "scale", "temporal")
LABELS = (*CATEGORIES, "none")
WEIGHTS = "conflict.npz"


@dataclass(frozen=True)
class Prediction:
    """Calibrated probability of a conflict, and of each category given that there is one."""

    p_conflict: float
    p_category: dict[str, float]

    @property
    def category(self) -> str:
        """The most probable category."""
        return max(self.p_category, key=lambda c: self.p_category[c])

    @property
    def confidence(self) -> float:
        """Probability of that category, given a conflict."""
        return max(self.p_category.values())


@dataclass(frozen=True)
class Model:
    """Ensembles, temperatures, detection threshold and what they were trained on."""

    detectors: tuple[Network, ...]
    classifiers: tuple[Network, ...]
    t_detect: float
    t_class: float
    threshold: float
    meta: dict[str, Any]

    @property
    def version(self) -> str:
        """Identifier of the weights, kept with every conflict."""
        return str(self.meta.get("version", "unknown"))

    def predict(self, z: FloatArray, ablate: str | None = None) -> list[Prediction]:
        """Predictions for (n, features); `ablate` names a feature group to replace by its training mean."""
        x = np.atleast_2d(z).astype(np.float64)
        if ablate is not None:
            x = x.copy()
            columns = [i for i, g in enumerate(feature_groups()) if g == ablate]
            x[:, columns] = self.detectors[0].mean[columns]
        detect = softmax(_mean_logits(self.detectors, x) / self.t_detect)[:, 1]
        classes = softmax(_mean_logits(self.classifiers, x) / self.t_class)
        return [
            Prediction(float(d), dict(zip(CATEGORIES, (float(v) for v in row), strict=True)))
            for d, row in zip(detect, classes, strict=True)
        ]

    def save(self, path: Path) -> None:
        """Write the arrays, half precision, and the meta data as JSON text."""
        arrays: dict[str, npt.NDArray[Any]] = {}
        for kind, networks in (("detect", self.detectors), ("class", self.classifiers)):
            for i, network in enumerate(networks):
                for name, array in network.arrays(f"{kind}{i}").items():
                    small = name.rsplit(".", 1)[1] not in ("mean", "std")
                    arrays[name] = array.astype(np.float16 if small else np.float32)
        meta = self.meta | {"t_detect": self.t_detect, "t_class": self.t_class, "threshold": self.threshold}
        arrays["meta"] = np.array(json.dumps(meta))
        with path.open("wb") as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def _mean_logits(networks: Sequence[Network], x: FloatArray) -> FloatArray:
    return np.asarray(np.mean([n.logits(x) for n in networks], axis=0))


def read_model(path: Path) -> Model:
    """Load a weights file.

    Raises
    ------
    ModelError
        It cannot be read, or was trained on other features than this version computes.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            data = {k: np.asarray(file[k]) for k in file.files}
    except (OSError, ValueError) as exc:
        raise ModelError(f"conflict weights {path} cannot be read: {exc}") from None
    if "meta" not in data:
        raise ModelError(f"{path} holds no conflict weights")
    meta = json.loads(str(data.pop("meta")))
    if tuple(meta.get("features", ())) != feature_names():
        raise ModelError(f"{path} was trained on other features. Train again with  areorag train conflict")
    ensembles = {kind: [] for kind in ("detect", "class")}  # type: dict[str, list[Network]]
    for kind, networks in ensembles.items():
        while f"{kind}{len(networks)}.mean" in data:
            networks.append(Network.from_arrays(data, f"{kind}{len(networks)}"))
    t_detect, t_class = float(meta["t_detect"]), float(meta["t_class"])
    return Model(
        tuple(ensembles["detect"]), tuple(ensembles["class"]), t_detect, t_class, float(meta["threshold"]), meta
    )


@lru_cache(maxsize=1)
def shipped_model() -> Model:
    """The weights that come with the package.

    Raises
    ------
    ModelError
        They are missing or of another version.
    """
    with resources.as_file(resources.files(__package__).joinpath("data", WEIGHTS)) as path:
        return read_model(path)
