#!/usr/bin/env bash
# The compose file with docker-compose 1.29 over podman. The images of PostgreSQL and Redis, which come from a registry that may
# not be reached, are replaced by Debian's packages; everything else is as in the file.
source "$(dirname "$0")/common.sh"
needs podman runc buildah docker-compose netavark aardvark-dns iptables curl
image=${IMAGE:-localhost/quizstore}

say "compose.yaml with $(docker-compose version --short)"
if ! podman image exists localhost/try-services; then
  container=$(buildah from localhost/try-debian)
  buildah run --network host --isolation chroot "$container" sh -c \
    'apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql redis-server >/dev/null' >/dev/null 2>&1
  # stands in for the entrypoint of PostgreSQL's official image, as far as the compose file uses it
  printf '%s\n' '#!/bin/sh' 'set -e' '[ "$1" = postgres ] || exec "$@"' 'bin=$(dirname "$(ls /usr/lib/postgresql/*/bin/initdb)")' \
    'export PATH=$bin:$PATH PGDATA=/var/lib/postgresql/data' \
    'if [ ! -d $PGDATA ]; then install -d -o postgres $PGDATA; printf %s "$POSTGRES_PASSWORD" >/tmp/password; chmod 644 /tmp/password' \
    'setpriv --reuid=postgres --clear-groups initdb -U "$POSTGRES_USER" -A scram-sha-256 --pwfile=/tmp/password -E UTF8 --locale C.UTF-8 >/dev/null' \
    'echo "host all all all scram-sha-256" >>$PGDATA/pg_hba.conf' \
    'setpriv --reuid=postgres --clear-groups sh -c "echo \"CREATE DATABASE $POSTGRES_DB\" | postgres --single -j postgres >/dev/null"; fi' \
    'exec setpriv --reuid=postgres --clear-groups "$@" -c listen_addresses=\* -c unix_socket_directories=/tmp' >"$work/entrypoint"
  chmod +x "$work/entrypoint"
  buildah copy -q "$container" "$work/entrypoint" /usr/local/bin/entrypoint >/dev/null
  buildah config --env PATH=/usr/lib/postgresql/15/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --env PGHOST=/tmp \
    --entrypoint '["entrypoint"]' "$container"
  buildah commit -q --rm "$container" localhost/try-services >/dev/null
fi
for tag in docker.io/library/postgres:18-bookworm docker.io/library/redis:8-bookworm; do podman tag localhost/try-services "$tag"; done
podman tag "$image" docker.io/library/quizstore:latest

rm -rf "$work/compose"
mkdir -p "$work/compose"
cp -r "$checkout/deploy" "$work/compose/deploy"
cd "$work/compose/deploy"
password=$(openssl rand -hex 24)
sed "s/^POSTGRES_PASSWORD=.*/POSTGRES_PASSWORD=$password/" postgres.env.example >postgres.env
sed "s/^SECRET_KEY=.*/SECRET_KEY=$(openssl rand -hex 32)/; s/PASSWORD@/$password@/" quizstore.env.example >quizstore.env
export DOCKER_HOST=unix://$work/podman.sock
podman system service --time=0 "$DOCKER_HOST" &
service=$!
# podman leaves the rhythm of health checks to systemd, which may not be there
while sleep 2; do
  for container in $(podman ps -q --filter label=com.docker.compose.project=quizstore); do podman healthcheck run "$container" || true; done
done >/dev/null 2>&1 &
checks=$!
clean() {
  docker-compose down -v -t 5 >/dev/null 2>&1
  kill $service $checks 2>/dev/null
  true
}
trap clean EXIT
within 10 test -S "$work/podman.sock"
check "it is understood" docker-compose config -q
[ "$(docker-compose config --services | sort | tr '\n' ' ')" = "ledger migrate postgres redis serve work " ] || fail "its services"
docker-compose up -d --no-build >"$work/up.log" 2>&1 || { tail -n 20 "$work/up.log" >&2; fail "up"; }
within 60 curl -fsS http://127.0.0.1:8080/readyz || { docker-compose logs --tail 20 >&2; fail "serve answers on 8080"; }
ok "up: PostgreSQL, Redis, migrate, serve, work, ledger"
check "its first command" docker-compose exec -T serve quizstore store create --name "My shop" --shop-domain my-shop.myshopify.com \
  --plan plus --timezone Europe/Berlin --currency EUR
podman volume exists quizstore_serve-data || fail "its volumes begin with quizstore_"
ok "its volumes are named after the project"
written() { docker-compose exec -T ledger test -d /ledger && docker-compose logs ledger 2>&1 | grep -q '"replayed"'; }
within 30 written || { docker-compose logs ledger >&2; fail "the ledger is kept"; }
ok "the ledger is kept"
healthy() { [ "$(podman inspect --format '{{.State.Healthcheck.Status}}' "$(docker-compose ps -q "$1")")" = healthy ]; }
for name in serve work; do
  within 30 healthy $name || fail "$name is healthy"
done
ok "serve and work pass the health check"
closed=0 before=$(date +%s%3N)
docker-compose up -d --no-build --no-deps --force-recreate work serve >"$work/up.log" 2>&1 &
upgrade=$!
while kill -0 $upgrade 2>/dev/null || ! curl -fs --max-time 2 http://127.0.0.1:8080/readyz >/dev/null; do
  curl -s -o /dev/null --max-time 2 http://127.0.0.1:8080/healthz || closed=$((closed + $(date +%s%3N) - before))
  before=$(date +%s%3N)
  sleep 0.02
done
wait $upgrade || fail "replacing work and serve"
ok "an upgrade's replacement of work and serve closes the port for $closed ms"
