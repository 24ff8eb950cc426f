#!/usr/bin/env bash
# The image in containers as on several machines: migrate, two `serve` behind HAProxy, two `work`, the ledger; kills, a rolling
# replacement and a restore, under traffic. PostgreSQL, Redis and HAProxy are Debian's, on this machine.
source "$(dirname "$0")/common.sh"
source "$here/around.sh"
needs podman runc postgresql redis-server haproxy curl
image=${IMAGE:-localhost/quizstore}

say "a database, a cache and a balancer"
clean() {
  podman ps -aq --filter name=try- | xargs -r podman rm -f -v -t 0 >/dev/null 2>&1
  stop_around
}
trap clean EXIT
clean
podman volume rm -f try-ledger try-exports >/dev/null
start_postgres
start_redis
start_haproxy 18080 18091 18092
start_patient_haproxy 18083 18093
key=$(openssl rand -hex 32)

contained=(--no-healthcheck --network host --read-only --tmpfs /tmp --cap-drop all --security-opt no-new-privileges --memory 2g
  -e SECRET_KEY="$key" -e DATABASE_URL="$database_url" -e REDIS_URL="redis://127.0.0.1:$redis_port" -e BASE_URL=https://quiz.test
  -e EXPORT_STORAGE=/exports -e TRUST_PROXY=1 -v try-exports:/exports)
quizstore() { podman run --rm "${contained[@]}" --entrypoint quizstore "$image" "$@"; }
# serve NUMBER: on port 1809N, its metrics on 1909N
serve() {
  podman rm -f -v -t 60 "try-serve-$1" >/dev/null 2>&1 || true
  podman run -d --name "try-serve-$1" "${contained[@]}" -e PORT="1809$1" -e METRICS_PORT="1909$1" -e DRAIN_SECONDS=3 "$image" serve >/dev/null
  within 30 ready "1909$1" || fail "serve $1 is ready"
}
work() {
  podman rm -f -v -t 60 "try-work-$1" >/dev/null 2>&1 || true
  podman run -d --name "try-work-$1" "${contained[@]}" -e METRICS_PORT="1910$1" "$image" work >/dev/null
  within 30 ready "1910$1" || fail "work $1 is ready"
}

say "migrate, two serve, two work"
check "migrate" quizstore migrate
for number in 1 2; do serve $number & done
wait
for number in 1 2; do work $number & done
wait
ok "two serve and two work are ready"
# podman's own timers for health checks need systemd
check "the image's health check" podman exec try-serve-1 node bin/healthy.js
check "doctor" quizstore doctor
shop=$(quizstore store create --name Shop --shop-domain try.myshopify.com --plan enterprise --timezone UTC --currency EUR --json)
KEY=$(quizstore key create --store try.myshopify.com --scopes quizzes:read,profiles:read,analytics:read --json | field key)
quiz=$(podman run --rm "${contained[@]}" -v "$checkout/docs/examples:/examples:ro" --entrypoint quizstore "$image" \
  quiz import /examples/tea.json --store try.myshopify.com --publish --json)
PUB=$(field publishable_key <<<"$shop") QUIZ=$(field quiz_id <<<"$quiz") VERSION=$(field version_id <<<"$quiz")
export PUB QUIZ VERSION KEY
quizstore store update try.myshopify.com --limits '{"capacity": 100000, "leak_per_second": 10000}' >/dev/null

say "kills and replacements under traffic"
events=0
# under PORT WHAT COMMAND...: while traffic runs for 20 seconds, COMMAND is done; every request has to be answered
under() {
  local port=$1 what=$2 outcome
  shift 2
  node "$here/traffic.mjs" "http://127.0.0.1:$port" "${TRY_SECONDS:-20}" >"$work/traffic.json" &
  local traffic=$!
  sleep 3
  "$@"
  wait $traffic
  outcome=$(cat "$work/traffic.json")
  events=$((events + $(field accepted <<<"$outcome")))
  [ "$(field failed <<<"$outcome")" = 0 ] || { printf '%s\n' "$outcome" | head -c 2000 >&2; fail "$what"; }
  [ "$(sql 'SELECT count(*) FROM session_events')" -ge "$events" ] || fail "$what: accepted events are stored"
  ok "$what: $(field answered <<<"$outcome") requests answered, the slowest in $(field slowest_ms <<<"$outcome") ms"
}
kill_serve() { podman kill -s KILL try-serve-1 >/dev/null; sleep 4; serve 1; }
kill_work() { podman kill -s KILL try-work-1 >/dev/null; sleep 2; work 1; }
roll() { for number in 1 2; do serve $number; work $number; done; }
under 18080 "nothing happens" true
under 18080 "a work is killed and started again" kill_work
under 18080 "every process is replaced, one after the other" roll
under 18080 "a serve is killed and started again" kill_serve
# one machine with one process: HAProxy waits for it
serve 3
under 18083 "a single serve is replaced" serve 3
podman rm -f -v -t 60 try-serve-3 >/dev/null

say "a restore"
erased_mail=berta@example.com
session=$(printf '{"store":"%s","sent_at":"%s","session":{"id":"sess_%s","visitor_id":"vis_%s","quiz_id":"%s","version_id":"%s","channel":"online_store"},"events":[{"id":"evt_%s","seq":0,"at":"%s","type":"quiz_opened"},{"id":"evt_%s","seq":1,"at":"%s","type":"answer_saved","page_key":"contact","component_key":"email","value":"%s","consent":true}]}' \
  "$PUB" "$(date -u +%FT%TZ)" "$(openssl rand -hex 16)" "$(openssl rand -hex 16)" "$QUIZ" "$VERSION" \
  "$(cat /proc/sys/kernel/random/uuid)" "$(date -u +%FT%TZ)" "$(cat /proc/sys/kernel/random/uuid)" "$(date -u +%FT%TZ)" "$erased_mail")
ask() { curl -fsS -H "Authorization: Bearer $KEY" "http://127.0.0.1:18080$1"; }
curl -fsS http://127.0.0.1:18080/storefront/v1/events -H 'content-type: application/json' --data "$session" >/dev/null
person_there() { ask "/v1/profiles?q=$erased_mail" | grep -q '"prof_'; }
within 20 person_there || fail "a person is there"
person=$(ask "/v1/profiles?q=$erased_mail" | grep -o 'prof_[0-9a-f]*' | head -1)
replay() { podman run --rm "${contained[@]}" -v try-ledger:/ledger --entrypoint quizstore "$image" person replay-erasures --data /ledger --json; }
dump
before=$(ask /v1/quizzes)
check "a person is erased after the dump" quizstore person erase "$person" --store try.myshopify.com
check "the ledger takes the erasure over" replay
for name in serve-1 serve-2 work-1 work-2; do podman stop -t 60 "try-$name" >/dev/null; done
for name in serve-1 serve-2 work-1 work-2; do
  status=$(podman inspect --format '{{.State.ExitCode}}' "try-$name")
  [ "$status" = 0 ] || fail "$name stops by itself, with 0: $status"
done
ok "all processes stop by themselves, with 0"
restore
check "the ledger erases again" replay
for number in 1 2; do serve $number; work $number; done
[ "$(ask /v1/quizzes)" = "$before" ] || fail "the restored database answers as before"
ok "the restored database answers as before"
person_there && fail "who was erased is back"
ok "who was erased after the dump is not back"
check "verify-erased" quizstore person verify-erased "$person" --store try.myshopify.com --value "$erased_mail"
