"""Write areorag/graph/lock-<version>.json for a Neo4j version: resolve with jgo, hash every jar.

    python tools/make_lock.py 2026.08.1 5.26.30

A new Neo4j is a new lock in a reviewed commit; the program never resolves versions on a user's machine.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import jgo

BROWSER = "org.neo4j.client:neo4j-browser:5.24.0"
MAIN = {"5": "org.neo4j.server.CommunityEntryPoint", "2026": "org.neo4j.server.Neo4jCommunity"}
MIN_JAVA = {"5": 17, "2026": 21}
# Test libraries that some POMs declare in the wrong scope.
UNWANTED = {"junit", "hamcrest", "mockito-core", "byte-buddy", "byte-buddy-agent", "objenesis"}


def make(version: str) -> Path:
    environment = jgo.build(f"org.neo4j:neo4j:{version}+{BROWSER}")
    folders = [environment.path / "jars", environment.path / "modules"]
    artifacts = []
    for item in environment.lockfile.dependencies:
        if item.artifactId in UNWANTED or item.packaging != "jar":
            continue
        classifier = item.classifier or ""
        name = f"{item.artifactId}-{item.version}{'-' + classifier if classifier else ''}.jar"
        data = next(f / name for f in folders if (f / name).exists()).read_bytes()
        gav = ":".join(filter(None, [item.groupId, item.artifactId, item.version, classifier]))
        artifacts.append({"gav": gav, "file": name, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)})
    line = version.split(".")[0]
    lock = {"neo4j": version, "main": MAIN[line], "min_java": MIN_JAVA[line]}
    rows = ",\n".join("  " + json.dumps(a, sort_keys=True) for a in sorted(artifacts, key=lambda a: a["gav"]))
    head = json.dumps(lock)[:-1]
    path = Path(__file__).resolve().parents[1] / "areorag" / "graph" / f"lock-{version}.json"
    path.write_text(f'{head}, "artifacts": [\n{rows}\n]}}\n', "utf-8")
    print(path, len(artifacts), "jars", sum(a["size"] for a in artifacts), "bytes")
    return path


if __name__ == "__main__":
    for wanted in sys.argv[1:]:
        make(wanted)
