"""Footprints are stored with every digit."""

from __future__ import annotations

from typing import Any

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from areorag.graph.rows import wkt_of

point = st.tuples(st.floats(-180, 180), st.floats(-90, 90)).map(list)
ring = st.lists(point, min_size=3, max_size=6).map(lambda r: [*r, list(r[0])])
SHAPES = st.one_of(
    point.map(lambda c: {"type": "Point", "coordinates": c}),
    st.lists(point, min_size=1, max_size=4).map(lambda c: {"type": "MultiPoint", "coordinates": c}),
    st.lists(point, min_size=2, max_size=5).map(lambda c: {"type": "LineString", "coordinates": c}),
    st.lists(st.lists(point, min_size=2, max_size=4), min_size=1, max_size=3).map(
        lambda c: {"type": "MultiLineString", "coordinates": c}
    ),
    st.lists(ring, min_size=1, max_size=2).map(lambda c: {"type": "Polygon", "coordinates": c}),
    st.lists(st.lists(ring, min_size=1, max_size=2), min_size=1, max_size=3).map(
        lambda c: {"type": "MultiPolygon", "coordinates": c}
    ),
)


@given(
    st.one_of(
        SHAPES, st.lists(SHAPES, min_size=1, max_size=3).map(lambda g: {"type": "GeometryCollection", "geometries": g})
    )
)
def test_the_text_reads_back_to_the_same_numbers(geometry: dict[str, Any]) -> None:
    there, back = shapely.geometry.shape(geometry), shapely.from_wkt(wkt_of(geometry))
    assert back.geom_type == there.geom_type
    assert shapely.get_coordinates(back).tolist() == shapely.get_coordinates(there).tolist()


@pytest.mark.parametrize(
    ("geometry", "text"),
    [
        (None, None),
        ({"type": "Point", "coordinates": [77.5, -18, 3.0]}, "POINT (77.5 -18)"),
        ({"type": "LineString", "coordinates": [[0, 0], [1e-7, 2]]}, "LINESTRING (0 0, 1e-07 2)"),
        (
            {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 0.25], [0, 0]]]},
            "POLYGON ((0 0, 1 0, 1 0.25, 0 0))",
        ),
    ],
)
def test_the_text_is_plain(geometry: dict[str, Any] | None, text: str | None) -> None:
    assert wkt_of(geometry) == text
