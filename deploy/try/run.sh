#!/usr/bin/env bash
# Builds and runs image, containers, compose file, chart and units for real, on a Debian machine of one's own, as root:
#   deploy/try/run.sh [bare] [base] [image] [containers] [compose] [chart] [units]
# Needs Debian's packages and npm's, no registry of images. It installs packages, takes ports and some 6 GB below /var/tmp and in
# podman's storage (images and volumes that begin with try-), and is not a part of the tests.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" = 0 ] || { echo "run this as root" >&2; exit 1; }
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(bare base image containers compose chart units)
for part in "${parts[@]}"; do bash "$here/$part.sh"; done
printf '\nall of these succeeded: %s\n' "${parts[*]}"
