#!/usr/bin/env bash
# libphonenumber-js 1.9.0 and 1.13.16, on a Mexican mobile as messengers still write it, with the 1 that was dialled
# before mobiles from abroad until 2019: +52 1 55 1234 0001.
#
# Expected: an upgrade within one major version keeps reading a number that it read before, since the notation stays in
# use; libphonenumber's own FAQ says that possible numbers should be kept rather than refused.
# Seen: 1.9.0 drops the 1 and reads +525512340001, a possible number; 1.13.16 keeps the 1 and says that +5215512340001 is
# impossible, from metadata alone. A program that keeps what isPossible() allows loses the contact with the upgrade.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund old@npm:libphonenumber-js@1.9.0 new@npm:libphonenumber-js@1.13.16
cat > read.cjs <<'JS'
const text = "+52 1 55 1234 0001";
const read = (name) => {
  const phone = require(name).parsePhoneNumberFromString(text);
  return `${phone.number} possible=${phone.isPossible()}`;
};
console.log(`1.9.0:   ${read("old")}`);
console.log(`1.13.16: ${read("new")}`);
const same = read("old") === "+525512340001 possible=true" && read("new") === "+5215512340001 possible=false";
process.exit(same ? 0 : 1);
JS
node read.cjs
