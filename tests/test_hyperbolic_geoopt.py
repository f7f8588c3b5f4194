"""The Lorentz kernel against geoopt in float64, where the extra [train] is installed (k there means -1/K)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from areorag.hyperbolic import lorentz

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def libraries() -> tuple[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch = pytest.importorskip("torch", reason="needs the extra [train]")
        geoopt = pytest.importorskip("geoopt", reason="needs the extra [train]")
    return torch, geoopt


@pytest.mark.parametrize("K", [-0.1, -1.0, -4.0])
@pytest.mark.parametrize("d", [2, 3, 8, 64, 256])
def test_every_operation_agrees_with_geoopt_at_moderate_depth(libraries: tuple[Any, Any], K: float, d: int) -> None:
    torch, geoopt = libraries
    rng = np.random.default_rng(d)
    k, n = np.sqrt(-K), 30
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        manifold = geoopt.Lorentz(k=torch.tensor(1.0 / -K, dtype=torch.float64))
        u, v = rng.normal(size=(n, d)), rng.normal(size=(n, d))
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        v /= np.linalg.norm(v, axis=1, keepdims=True)
        rho, sigma = rng.uniform(0.3, 2.5 / k, n), rng.uniform(0.3, 2.5 / k, n)
        x, y = lorentz.from_polar(rho, u, K), lorentz.from_polar(sigma, v, K)
        tx, ty = torch.from_numpy(x), torch.from_numpy(y)
        tangent = lorentz.log(x, y, K)
        pairs = {
            "distance": (lorentz.distance(rho, u, sigma, v, K), manifold.dist(tx, ty)),
            "inner": (lorentz.inner(x, y), manifold.inner(tx, tx, ty)),
            "log": (tangent, manifold.logmap(tx, ty)),
            "exp": (lorentz.exp(x, tangent, K), manifold.expmap(tx, torch.from_numpy(tangent))),
            "transport": (lorentz.transport(x, y, tangent, K), manifold.transp(tx, ty, torch.from_numpy(tangent))),
            "log origin": (
                np.concatenate([np.zeros((n, 1)), lorentz.log_origin(x, K)], axis=1),
                manifold.logmap0(tx),
            ),
            "project": (lorentz.project(x * 1.01, K), manifold.projx(tx * 1.01)),
            "tangent projection": (lorentz.project_tangent(x, y, K), manifold.proju(tx, ty)),
        }
    for name, (ours, theirs) in pairs.items():
        np.testing.assert_allclose(ours, theirs.numpy().reshape(ours.shape), rtol=1e-7, atol=1e-7, err_msg=name)


def test_where_geoopt_loses_near_distances_at_depth_the_polar_form_keeps_them(libraries: tuple[Any, Any]) -> None:
    torch, geoopt = libraries
    rho, angle = 13.0, 1e-9
    u, v = np.array([1.0, 0.0]), np.array([np.cos(angle), np.sin(angle)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = geoopt.Lorentz().dist(*(torch.from_numpy(lorentz.from_polar(rho, w)) for w in (u, v))).item()
    want = 2 * np.arcsinh(np.sinh(rho) * angle / 2)
    assert lorentz.distance(rho, u, rho, v) == pytest.approx(want, rel=1e-9)
    assert abs(np.nan_to_num(theirs) / want - 1) > 0.1
