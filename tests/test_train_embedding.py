"""Learned directions: radius kept, seeded to the bit, resumed to the bit, versioned and swappable (METHODS §1)."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from areorag.errors import HyperbolicError, MissingExtraError, UnknownNameError
from areorag.graph.colocation import rebuild_colocations, update_colocations
from areorag.graph.connection import Database
from areorag.graph.train_embedding import active_version, train_graph, use_embedding
from areorag.hyperbolic import lorentz
from areorag.hyperbolic.train import Config, train
from areorag.settings import Settings

SMALL = Config(dim=8, epochs=4, batch=256, patience=4, seed=3)


def nested(n: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coarse points, each with three finer ones near it; pairs (fine, coarse)."""
    rng = np.random.default_rng(1)
    coarse = rng.normal(size=(n // 4, 3))
    fine = np.repeat(coarse, 3, axis=0) + 0.01 * rng.normal(size=(3 * (n // 4), 3))
    unit = np.concatenate([coarse, fine])
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    rho = np.concatenate([np.full(n // 4, 8.9), np.full(3 * (n // 4), 13.2)])
    pairs = np.stack([np.arange(n // 4, n // 4 * 4), np.repeat(np.arange(n // 4), 3)], axis=1)
    return rho, unit, pairs


def test_without_torch_training_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def no_torch(name: str, *args: Any, **kwargs: Any) -> Any:
        if name in ("torch", "geoopt"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_torch)
    with pytest.raises(MissingExtraError, match="train"):
        train(*nested(), SMALL)


@pytest.mark.train
class TestWithTorch:
    @pytest.fixture(autouse=True)
    def _torch(self, recwarn: pytest.WarningsRecorder) -> None:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pytest.importorskip("torch", reason="needs the extra [train]")
            pytest.importorskip("geoopt", reason="needs the extra [train]")

    def test_related_nodes_come_nearer_and_directions_stay_unit(self) -> None:
        rho, unit, pairs = nested()
        result = train(
            rho, unit, pairs, Config(dim=8, epochs=25, batch=64, patience=25, init="random", learning_rate=3e-2)
        )
        assert lorentz.check_polar(rho, result.coordinates) == (True, "")
        assert result.curve[-1][1] < 0.5 * result.curve[1][1]
        start = np.random.default_rng(0).permutation(len(rho))
        near = lorentz.distance(
            rho[pairs[:, 0]], result.coordinates[pairs[:, 0]], rho[pairs[:, 1]], result.coordinates[pairs[:, 1]]
        )
        far = lorentz.distance(rho, result.coordinates, rho[start], result.coordinates[start])
        assert np.median(near) < np.median(far)

    def test_equal_seeds_give_equal_bits_and_others_do_not(self) -> None:
        a, b = train(*nested(), SMALL), train(*nested(), SMALL)
        np.testing.assert_array_equal(a.coordinates, b.coordinates)
        assert a.curve == b.curve
        other = train(*nested(), Config(**{**SMALL.__dict__, "seed": 4}))
        assert not np.array_equal(a.coordinates, other.coordinates)

    def test_starting_from_positions_a_step_is_a_hyperbolic_length_and_never_ends_worse(self) -> None:
        rho, unit, pairs = nested()
        result = train(rho, unit, pairs, Config(dim=8, epochs=3, batch=64, patience=3, learning_rate=1e-2))
        start = unit / np.linalg.norm(unit, axis=1, keepdims=True)
        padded = np.concatenate([start, np.zeros((len(start), 5))], axis=1)
        moved = lorentz.distance(rho, padded, rho, result.coordinates)
        assert 1e-3 < np.max(moved) < 0.5  # nine steps of about 0.01 hyperbolic units
        assert result.loss <= result.curve[0][2]

    def test_a_resumed_run_ends_in_the_same_bits_as_one_that_was_not_interrupted(self, tmp_path: Path) -> None:
        whole = train(*nested(), SMALL)
        short = Config(**{**SMALL.__dict__, "epochs": 2})
        train(*nested(), short, checkpoint=tmp_path / "c.npz")
        resumed = train(*nested(), SMALL, checkpoint=tmp_path / "c.npz", resume=True)
        np.testing.assert_array_equal(resumed.coordinates, whole.coordinates)
        assert resumed.curve == whole.curve

    def test_a_checkpoint_of_other_data_or_a_broken_one_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "c.npz"
        train(*nested(), SMALL, checkpoint=path)
        with pytest.raises(HyperbolicError, match="other data"):
            train(*nested(100), SMALL, checkpoint=path, resume=True)
        path.write_bytes(b"not a checkpoint")
        with pytest.raises(HyperbolicError, match="cannot be read"):
            train(*nested(), SMALL, checkpoint=path, resume=True)

    def test_early_stopping_keeps_the_best_epoch(self) -> None:
        rho, unit, pairs = nested()
        rng = np.random.default_rng(2)
        noise = rng.integers(0, len(rho), pairs.shape)
        result = train(
            rho, unit, noise, Config(dim=8, epochs=30, batch=256, patience=1, validation_share=0.5, learning_rate=0.1)
        )
        assert result.stopped_early
        losses = [v for _, _, v in result.curve]
        assert losses[result.best_epoch] == min(losses)

    def test_impossible_inputs_are_named_errors(self) -> None:
        rho, unit, pairs = nested()
        for bad in (
            (rho, unit, pairs[:0]),
            (rho, unit, pairs + 1000),
            (rho * np.nan, unit, pairs),
            (rho, unit * 2, pairs),
        ):
            with pytest.raises(HyperbolicError, match="training"):
                train(*bad, SMALL)
        with pytest.raises(HyperbolicError):
            Config(dim=1)

    @pytest.mark.db
    def test_a_learned_version_is_kept_in_the_graph_and_can_be_swapped_back(
        self, db: Database, settings: Settings, tmp_path: Path
    ) -> None:
        rho, unit, _ = nested(80)
        rows = []
        for i, (r, u) in enumerate(zip(rho, unit, strict=True)):
            half = 1.5 if r < 10 else 0.05
            lon, lat = np.degrees(np.arctan2(u[1], u[0])), np.degrees(np.arcsin(u[2]))
            wkt = f"POLYGON(({lon - half} {max(lat - half, -89)}, {lon + half} {max(lat - half, -89)}, {lon + half} {min(lat + half, 89)}, {lon - half} {min(lat + half, 89)}, {lon - half} {max(lat - half, -89)}))"
            x = lorentz.from_polar(r, u)
            p = {
                "id": f"o{i:03}",
                "body": "Mars",
                "rho": r,
                "direction": u.tolist(),
                "lorentz": x.tolist(),
                "footprint": wkt,
                "embedding_version": "closed/x",
                "known_hashes": [],
            }
            rows.append({"p": p, "xyz": (u * 3396190).tolist(), "lonlat": [float(lon), float(lat)]})
        db.write("write_observations", rows=rows, vectors=[])
        update_colocations(db, [r["p"]["id"] for r in rows], settings)
        report = train_graph(db, settings, config=SMALL, out=tmp_path)
        assert report["pairs"]["containment"] > 10
        assert Path(report["weights"]).is_file()
        assert active_version(db) == report["version"]
        (learned,) = db.read_text(
            "CYPHER 5 MATCH (o:Observation {id: 'o000'}) RETURN o.direction AS u, o.lorentz AS x, o.rho AS r"
        )
        assert len(learned["u"]) == 8
        assert learned["r"] == rho[0]
        assert set(report["steps_s"]) == {"relations", "training", "writing"}
        midpoints = "CYPHER 5 MATCH (c:Colocation) RETURN c.id AS id, properties(c) AS p ORDER BY id"
        followed = db.read_text(midpoints)
        assert {c["p"]["embedding_version"] for c in followed} == {report["version"]}
        rebuild_colocations(db, settings)
        assert db.read_text(midpoints) == followed
        use_embedding(db, "closed", settings)
        (back,) = db.read_text(
            "CYPHER 5 MATCH (o:Observation {id: 'o000'}) RETURN o.direction AS u, o.lorentz AS x, o.rho AS r"
        )
        np.testing.assert_allclose(back["u"], unit[0], atol=1e-12)
        assert (active_version(db) or "").startswith("closed/")
        use_embedding(db, report["version"], settings)
        (again,) = db.read_text("CYPHER 5 MATCH (o:Observation {id: 'o000'}) RETURN o.direction AS u")
        assert again["u"] == learned["u"]
        with pytest.raises(UnknownNameError, match="closed"):
            use_embedding(db, "learned/nothing", settings)
