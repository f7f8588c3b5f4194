#!/bin/sh
# Reads the database password from its secret file, so that it stands in no image, command line or compose file.
set -eu
if [ -n "${NEO4J_PASSWORD_FILE:-}" ]; then
  NEO4J_PASSWORD=$(cat "$NEO4J_PASSWORD_FILE")
  export NEO4J_PASSWORD
fi
exec "$@"
