#!/bin/sh
# Updates the service of docker-compose.yml without failing a call: starts new instances beside the old ones, and stops the
# old ones once the new ones are healthy. Run it after a change of the sources, of docker-compose.yml or of
# deploy/compose.env.
set -eu
cd "$(dirname "$0")/.."
compose() { docker compose --env-file deploy/compose.env "$@"; }

# For GET /version.
COMMIT=$(git describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null || true)
export COMMIT
compose build api
old=$(compose ps --quiet api)
# The load balancer has room for 10 instances.
compose up --detach --wait --no-deps --no-recreate --scale api=$((2 * $(echo "$old" | wc -w))) api
for instance in $old; do
  # It drains before it ends: docker waits for as long as stop_grace_period says.
  docker stop "$instance"
  docker rm "$instance"
done
# Callers do not reach workers, which may all restart at once.
compose up --detach --wait --no-deps worker
