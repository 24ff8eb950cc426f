#!/usr/bin/env node
// Exits with 0 if the program in this container answers that it is alive, else with 1: the check of the image and of the compose
// file, which may have no curl [operations.health].
const { METRICS_PORT, PORT = "8080" } = process.env;
// sooner than whoever runs this gives up
const signal = AbortSignal.timeout(4_000);
const alive = await fetch(`http://127.0.0.1:${METRICS_PORT || PORT}/healthz`, { signal }).then(
  (answer) => answer.ok,
  () => false,
);
process.exit(alive ? 0 : 1);
