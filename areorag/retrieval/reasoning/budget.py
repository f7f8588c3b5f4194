"""Hard limits of one reasoning run: hyperedges scored, model calls, tokens, seconds. Reached limits end the search."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass
class Budget:
    """Limits and what is spent. `spent_by` says which limit ended the search, or None."""

    max_edges: int = 4000
    max_seconds: float = 30.0
    max_states: int = 200
    started: float = field(default_factory=time.monotonic)
    edges: int = 0
    states: int = 0
    spent_by: str | None = None

    def take_edges(self, n: int) -> bool:
        """Count n scored hyperedges; False when that passes the limit."""
        if self.over():
            return False
        if self.edges + n > self.max_edges:
            self.spent_by = f"{self.max_edges} hyperedges scored"
            return False
        self.edges += n
        return True

    def take_state(self) -> bool:
        """Count one state of the search; False when that passes the limit."""
        if self.over():
            return False
        if self.states + 1 > self.max_states:
            self.spent_by = f"{self.max_states} states"
            return False
        self.states += 1
        return True

    def over(self) -> bool:
        """True when a limit is reached."""
        if self.spent_by is None and time.monotonic() - self.started > self.max_seconds:
            self.spent_by = f"{self.max_seconds:g} seconds"
        return self.spent_by is not None
