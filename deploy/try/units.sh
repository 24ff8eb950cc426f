#!/usr/bin/env bash
# The systemd units on a Debian of their own (a container that systemd runs), installed by the lines of docs/operations.md.
source "$(dirname "$0")/common.sh"
needs buildah podman runc mmdebstrap

say "a Debian with systemd"
podman image exists localhost/try-systemd ||
  debian_image localhost/try-systemd systemd systemd-sysv dbus sudo curl procps postgresql redis-server jq
# the checkout as it is, and what npm makes of it: the network is only there for that
[ -n "${TRY_INSTALLED:-}" ] || rm -rf "$work/checkout"
mkdir -p "$work/checkout"
(cd "$checkout" && git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -T - -c 2>/dev/null) | tar -x -C "$work/checkout"
[ -n "${TRY_INSTALLED:-}" ] || podman run --rm --network host -v "$work/checkout:/opt/quizstore" -w /opt/quizstore localhost/try-node \
  sh -c 'npm ci --omit=dev --no-audit --no-fund && npm run build' >"$work/install.log" 2>&1 || { tail -n 20 "$work/install.log" >&2; fail "npm ci --omit=dev && npm run build"; }
ok "npm ci --omit=dev && npm run build"

# lines NUMBER: the shell lines of that block of docs/operations.md, without those that have been run above
lines() {
  awk -v wanted="$1" '/^```sh$/ { at += 1; inside = 1; next } /^```$/ { inside = 0 } inside && at == wanted' "$checkout/docs/operations.md" |
    sed 's|^git clone [^&]*&& ||; s| && npm ci.*||'
}
podman rm -f -v -t 0 try-systemd >/dev/null 2>&1 || true
# a network of its own: only its own loopback
podman run -d --name try-systemd --systemd=always --privileged --network none -v "$work/checkout:/opt/quizstore-1.0.0:ro" \
  -v "$work/checkout:/opt/quizstore-2.0.0:ro" localhost/try-systemd /sbin/init >/dev/null
trap 'podman rm -f -v -t 0 try-systemd >/dev/null 2>&1' EXIT
inside() { podman exec -i try-systemd "$@"; }
within 30 inside systemctl is-active dbus || fail "systemd runs"
{
  cat "$here/units-inside.sh"
  printf 'one_server() {\n%s\n}\nseveral_processes() {\n%s\n}\nupgrade() {\n%s\n}\ntry_units\n' "$(lines 1)" "$(lines 2)" "$(lines 3)"
} | inside env "TRY_PATIENCE=${TRY_PATIENCE:-3}" bash -s
