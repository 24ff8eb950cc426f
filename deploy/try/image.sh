#!/usr/bin/env bash
# Builds the image as docs/operations.md says, and looks into it. DOCKERFILE: another one, to compare sizes.
source "$(dirname "$0")/common.sh"
needs buildah podman runc jq curl
name=${IMAGE:-localhost/quizstore}
dockerfile=${DOCKERFILE:-$checkout/deploy/Dockerfile}

say "image $name"
began=$SECONDS
# builds of this folder have no network of their own, so that they work where none can be made
(cd "$checkout" && buildah build -q --layers --format docker --network host --isolation chroot \
  --build-arg NODE_IMAGE=localhost/try-node --build-arg DEBIAN_IMAGE=localhost/try-debian \
  -f "$dockerfile" -t "$name" . >"$work/build.log" 2>&1) || { tail -n 30 "$work/build.log" >&2; fail "the image is built"; }
ok "the image is built: $((SECONDS - began)) s, $(podman image inspect --format '{{.Size}}' "$name" | numfmt --to=si)B"
[ -z "${DOCKERFILE:-}" ] || exit 0

in_image() { podman run --rm --no-healthcheck --network host --read-only --tmpfs /tmp --cap-drop all --entrypoint "$1" "$name" "${@:2}"; }
check "the format docker keeps the health check" \
  jq -e '.[0].Healthcheck.Test == ["CMD", "node", "bin/healthy.js"]' <(podman image inspect "$name")
check "it runs as nobody in particular" test "$(in_image id -u)" = 10001
for folder in /data /exports /ledger; do check "$folder belongs to its user" test "$(in_image stat -c %u "$folder")" = 10001; done
left=$(in_image find /app /usr/local -type f '(' -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name node.h -o -name 'npm*' ')' -not -path '*/docs/*')
check "no source maps, typings, headers, npm" test -z "$left"
check "the program's commands are on its PATH" in_image quizstore help
