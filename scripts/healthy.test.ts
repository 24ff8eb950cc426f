import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";

/** `bin/healthy.js`, by which containers find out whether the program in them is alive. */

const check = join(import.meta.dirname, "../bin/healthy.js");

/** The status with which the check ends, and after how many seconds. */
async function checked(environment: Record<string, string>) {
  const began = performance.now();
  const child = spawn("node", [check], { env: { PATH: process.env["PATH"], ...environment } });
  const [status] = await once(child, "exit");
  return { status, seconds: (performance.now() - began) / 1_000 };
}

async function statusAt(answer: RequestListener, settings: (port: string) => Record<string, string>) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await checked(settings(String((server.address() as AddressInfo).port)));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const answering =
  (status: number): RequestListener =>
  ({ url }, response) =>
    void response.writeHead(url === "/healthz" ? status : 404).end();

it("asks the listener for metrics, else the API's [operations.health]", async () => {
  expect(await statusAt(answering(200), (port) => ({ METRICS_PORT: port, PORT: "1" }))).toMatchObject({ status: 0 });
  expect(await statusAt(answering(200), (port) => ({ METRICS_PORT: "", PORT: port }))).toMatchObject({ status: 0 });
});

it("fails where the answer is another, or none, sooner than whoever runs it gives up [operations.health]", async () => {
  expect(await statusAt(answering(503), (port) => ({ PORT: port }))).toMatchObject({ status: 1 });
  expect(await checked({ METRICS_PORT: "1" })).toMatchObject({ status: 1 });
  const silent = await statusAt(
    () => undefined,
    (port) => ({ METRICS_PORT: port }),
  );
  expect(silent.status).toBe(1);
  // the check itself gives up after 4 seconds; the rest is for a busy machine
  expect(silent.seconds).toBeGreaterThan(3.5);
}, 60_000);
