# Runs in the container of units.sh, as root on the server. `one_server` and `several_processes` are the guide's own lines.
set -euo pipefail
ok() { printf 'ok    %s\n' "$*"; }
fail() {
  printf 'FAIL  %s\n' "$*" >&2
  journalctl -n 40 --no-pager -u 'quizstore*' >&2
  exit 1
}
within() {
  local end=$((SECONDS + $1 * TRY_PATIENCE))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.1
  done
}
answers() { curl -fsS --max-time 2 "http://127.0.0.1:$1/readyz"; }
# closed_for COMMAND...: milliseconds for which port 8080 refuses connections while the command runs and after it
closed_for() {
  local refused=0 before
  "$@" &
  local command=$!
  before=$(date +%s%3N)
  while kill -0 $command 2>/dev/null || ! answers 8080 >/dev/null 2>&1; do
    curl -s -o /dev/null --connect-timeout 1 http://127.0.0.1:8080/healthz || refused=$((refused + $(date +%s%3N) - before))
    before=$(date +%s%3N)
    sleep 0.02
  done
  wait $command
  echo "$refused"
}
settings() { install -m 0600 /dev/stdin /etc/quizstore/quizstore.env; }

try_one_server() {
  one_server >/tmp/installed 2>&1 || { cat /tmp/installed >&2; fail "the lines of One server"; }
  ok "the lines of One server, doctor included"
  within 60 answers 8080 || fail "quizstore.service is ready"
  for folder in / /root /tmp /opt/quizstore; do (cd "$folder" && quizstore doctor --json | jq -e .ok >/dev/null) || fail "doctor in $folder"; done
  ok "quizstore doctor in four folders"
  quizstore store create --name Shop --shop-domain try.example.com --plan plus --timezone UTC --currency EUR --json >/tmp/made || fail "store create"
  jq -e .publishable_key /tmp/made >/dev/null || fail "store create prints one document: $(cat /tmp/made)"
  quizstore store list | head -n 1 >/dev/null || fail "a reader that leaves early"
  quizstore nonsense 2>/dev/null && fail "status 2"
  [ -z "$(find /var/lib/quizstore ! -user quizstore)" ] || fail "a command left a file that the unit cannot write"
  ok "commands work on the unit's database, as its user"
  systemctl kill -s KILL quizstore
  within 60 answers 8080 || fail "killed, it comes back"
  ok "killed, it comes back"
  ok "a restart closes the port for $(closed_for systemctl restart quizstore) ms"
  systemctl stop quizstore
  [ "$(systemctl show -P Result quizstore) $(systemctl show -P ExecMainStatus quizstore)" = "success 0" ] || fail "it stops by itself"
  pgrep -u quizstore >/dev/null && fail "something is left running"
  ok "stopped, it leaves nothing running"
  systemctl disable --quiet quizstore
}

release_of() { readlink "/proc/$(systemctl show -P MainPID "$1")/cwd"; }

try_several() {
  systemctl start postgresql
  # by hand: its unit does not start in every container
  redis-server --bind 127.0.0.1 --save "" --daemonize yes --dir /tmp >/dev/null
  within 30 sudo -u postgres psql -c 'SELECT 1' || fail "PostgreSQL"
  sudo -u postgres psql -qc "CREATE USER quizstore PASSWORD 'p'" -c "CREATE DATABASE quizstore OWNER quizstore ENCODING UTF8 TEMPLATE template0"
  # what used to set one port for two processes
  settings <<END
DATABASE_URL=postgres://quizstore:p@127.0.0.1:5432/quizstore
SECRET_KEY=a key of this trial, which is longer than 32 letters
BASE_URL=https://quiz.test
REDIS_URL=redis://127.0.0.1:6379
PORT=9999
METRICS_PORT=9464
END
  several_processes >/tmp/several 2>&1 || { cat /tmp/several >&2; fail "the lines of Several processes on one server"; }
  for port in 18080 18081 19091 19092; do within 60 answers $port || fail "the process with metrics on $port is ready"; done
  for port in 8080 8081; do within 5 answers $port || fail "serve on $port"; done
  ok "two serve and two work start with one file of settings, METRICS_PORT in it"
  quizstore store create --name Shop --shop-domain several.example.com --plan plus --timezone UTC --currency EUR --json >/dev/null
  [ "$(sudo -u postgres psql -qAt quizstore -c 'SELECT count(*) FROM stores')" = 1 ] || fail "commands work on the server's database"
  ok "commands work on the server's database"
  systemctl start quizstore-ledger || fail "the ledger's job"
  [ -d /var/lib/quizstore-ledger ] || fail "the ledger's folder"
  systemctl is-active --quiet quizstore-ledger.timer || fail "the ledger's timer"
  ok "the ledger's job and timer"
  for unit in quizstore-serve@8080 quizstore-serve@8081 quizstore-work@1 quizstore-work@2; do
    systemctl kill -s KILL "$unit"
    systemctl restart "$unit"
  done
  for port in 18080 18081 19091 19092; do within 60 answers $port || fail "the process with metrics on $port is back"; done
  ok "killed and restarted, all are back"
  for unit in quizstore-serve@8080 quizstore-work@2; do [ "$(release_of $unit)" = /opt/quizstore-1.0.0 ] || fail "the first release runs"; done
  # as behind a balancer: every request is answered by one of the two
  while ! [ -f /tmp/upgraded ]; do
    curl -fsS -o /dev/null http://127.0.0.1:8080/healthz || curl -fsS -o /dev/null http://127.0.0.1:8081/healthz || echo none >>/tmp/unanswered
    sleep 0.02
  done 2>/dev/null &
  upgrade >/tmp/upgrade 2>&1 || { cat /tmp/upgrade >&2; fail "the lines of an upgrade"; }
  touch /tmp/upgraded
  wait
  [ ! -e /tmp/unanswered ] || fail "one of two processes answers at any time"
  for unit in quizstore-serve@8080 quizstore-serve@8081 quizstore-work@1 quizstore-work@2; do
    [ "$(release_of $unit)" = /opt/quizstore-2.0.0 ] || fail "the second release runs"
  done
  ok "an upgrade, process after process, with one that answers at any time"
  within 60 answers 19091 && within 60 answers 19092 || fail "work is ready again"
  systemctl stop 'quizstore-*'
  for unit in quizstore-serve@8080 quizstore-work@1; do
    [ "$(systemctl show -P Result $unit)" = success ] || fail "$unit stops by itself"
  done
  ok "all stop by themselves"
}

try_units() {
  printf '\n== units on %s, systemd %s\n' "$(. /etc/os-release && echo "$PRETTY_NAME")" "$(systemctl --version | head -1 | cut -d ' ' -f 2)"
  mkdir -p /etc/quizstore
  printf 'BASE_URL=https://quiz.test\nTRUST_PROXY=1\n' | settings
  try_one_server
  try_several
}
