# What the trials of this folder share; each sources it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../.." && pwd)
# everything that a trial leaves behind is here, and in podman's own storage under names that begin with try-
work=${TRY_FOLDER:-/var/tmp/quizstore-try}
mkdir -p "$work"
export DEBIAN_FRONTEND=noninteractive
suite=bookworm
# what works without systemd as process 1 too, and without the right to raise limits
export CONTAINERS_CONF=$work/containers.conf
cat >"$CONTAINERS_CONF" <<END
[containers]
default_ulimits = ["nofile=$(ulimit -Hn):$(ulimit -Hn)", "nproc=8192:8192"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
END

say() { printf '\n== %s\n' "$*"; }
ok() { printf 'ok    %s\n' "$*"; }
fail() {
  printf 'FAIL  %s\n' "$*" >&2
  exit 1
}
# check WHAT COMMAND...: the command has to succeed
check() {
  local what=$1
  shift
  if "$@" >"$work/last" 2>&1; then ok "$what"; else tail -n 20 "$work/last" >&2; fail "$what"; fi
}
# within SECONDS COMMAND...: tries until it succeeds
within() {
  local end=$((SECONDS + $1 * ${TRY_PATIENCE:-3}))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.2
  done
}
ready() { curl -fsS --max-time 2 "http://127.0.0.1:$1/readyz"; }
# needs PACKAGE...: Debian's packages, installed where they are missing
needs() {
  local missing=()
  for package in "$@"; do dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package"); done
  [ ${#missing[@]} -eq 0 ] && return
  apt-get update -qq
  # what starts by itself would take ports that a trial wants
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod +x /usr/sbin/policy-rc.d
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  rm /usr/sbin/policy-rc.d
}
# debian_image NAME PACKAGE...: an image of Debian's base and these packages
debian_image() {
  local name=$1 container root
  shift
  container=$(buildah from scratch)
  # into the image itself: a copy would give every file to root
  root=$(buildah mount "$container")
  mmdebstrap --quiet --variant=minbase --include="$(IFS=,; echo "$*")" "$suite" "$root"
  rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/* "$root"/usr/share/{doc,man,locale}
  # a builder behind a proxy has to trust what this machine trusts
  [ ! -d "$root/etc/ssl/certs" ] || cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
  buildah config --cmd bash "$container"
  buildah unmount "$container" >/dev/null
  buildah commit -q --rm "$container" "$name" >/dev/null
}
# field NAME: of the JSON document on standard input
field() { node -e 'let t="";process.stdin.on("data",(d)=>t+=d).on("end",()=>console.log(JSON.parse(t)[process.argv[1]]))' "$1"; }
locked() { node -p "require('$checkout/package-lock.json').packages['node_modules/$1'].version"; }
