import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A receiver of webhooks in a separate process, so that the test does not disturb its measurements. It answers 204 at
 * once, except at `/hang...`, where it never answers. Its reply to every IPC message is the list of new requests:
 * [path, webhook-id, hash of the body, earliest and latest ms at which it may have arrived] each. The two times differ
 * by how late this process read the request: on a busy machine it may have waited in the socket.
 */

let received: [path: string, id: string, body: string, earliest: number, latest: number][] = [];
/** Unix ms, monotonic */
const now = (): number => performance.timeOrigin + performance.now();
let lastLook = now();
let lookBefore = lastLook;

setInterval(() => {
  lookBefore = lastLook;
  lastLook = now();
}, 5);

const server = createServer((request, response) => {
  const hash = createHash("sha256");
  const earliest = lookBefore;
  const latest = now();
  request.on("data", (chunk: Buffer) => hash.update(chunk));
  request.on("end", () => {
    received.push([request.url ?? "", String(request.headers["webhook-id"]), hash.digest("hex"), earliest, latest]);
    if (!request.url?.startsWith("/hang")) response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 120_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("message", () => {
  process.send?.(received);
  received = [];
});
process.on("disconnect", () => process.exit());
