# What stands around the program: Debian's PostgreSQL, Redis and HAProxy, in folders of their own. Sourced by the trials.
around=$work/around
postgres_port=${TRY_POSTGRES_PORT:-15439}
redis_port=${TRY_REDIS_PORT:-16389}
database_url=postgres://quizstore@127.0.0.1:$postgres_port/quizstore
mkdir -p "$around"

postgres_programs() { dirname "$(ls /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)"; }
# PostgreSQL refuses to run as root
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
start_postgres() {
  local bin
  bin=$(postgres_programs)
  rm -rf "$around/postgres"
  install -d -o 65534 -g 65534 "$around/postgres"
  as_nobody "$bin/initdb" -D "$around/postgres" -U quizstore -A trust -E UTF8 --locale C.UTF-8 >/dev/null
  as_nobody "$bin/pg_ctl" -w -D "$around/postgres" -l "$around/postgres/log" \
    -o "-c listen_addresses=127.0.0.1 -c port=$postgres_port -c unix_socket_directories=$around/postgres -c max_connections=300" start >/dev/null
  "$bin/createdb" -h 127.0.0.1 -p "$postgres_port" -U quizstore quizstore
}
sql() { "$(postgres_programs)/psql" -qAt "$database_url" -c "$1"; }
dump() { "$(postgres_programs)/pg_dump" --format=custom --file="$around/quizstore.dump" "$database_url"; }
# into an empty database, as docs/operations.md says
restore() {
  local bin
  bin=$(postgres_programs)
  "$bin/dropdb" -h 127.0.0.1 -p "$postgres_port" -U quizstore quizstore
  "$bin/createdb" -h 127.0.0.1 -p "$postgres_port" -U quizstore quizstore
  "$bin/pg_restore" --no-owner --exit-on-error --dbname="$database_url" "$around/quizstore.dump"
}
start_redis() { redis-server --port "$redis_port" --bind 127.0.0.1 --save "" --daemonize yes --pidfile "$around/redis.pid" --dir "$around" >/dev/null; }
# haproxy_settings PORT: those of docs/operations.md, without its servers
haproxy_settings() {
  sed -n '/^```haproxy$/,/^```$/p' "$checkout/docs/operations.md" | sed "/^\`\`\`/d; /^  *server /d; s/bind .*/bind 127.0.0.1:$1/"
}
# start_haproxy PORT SERVER_PORT...
start_haproxy() {
  local port=$1
  shift
  {
    haproxy_settings "$port"
    for server in "$@"; do printf '  server at-%s 127.0.0.1:%s check inter 1s\n' "$server" "$server"; done
  } >"$around/haproxy.cfg"
  haproxy -D -p "$around/haproxy.pid" -f "$around/haproxy.cfg"
}
# start_patient_haproxy PORT SERVER_PORT: in front of a single process
start_patient_haproxy() {
  {
    haproxy_settings "$1" | sed 's/retries .*/retries 60/; /httpchk/d'
    printf '  server only 127.0.0.1:%s\n' "$2"
  } >"$around/patient.cfg"
  haproxy -D -p "$around/patient.pid" -f "$around/patient.cfg"
}
stop_around() {
  for pid in haproxy patient redis; do [ -f "$around/$pid.pid" ] && kill "$(cat "$around/$pid.pid")" 2>/dev/null; rm -f "$around/$pid.pid"; done
  [ -f "$around/postgres/postmaster.pid" ] && as_nobody "$(postgres_programs)/pg_ctl" -D "$around/postgres" -m fast stop >/dev/null 2>&1
  true
}
