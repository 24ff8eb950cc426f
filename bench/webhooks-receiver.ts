import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Receivers in a process of their own: `/hang...` takes and never answers, everything else answers 204 at once. Every
 * message over IPC is answered with what came since the last: [webhook-id, Unix ms, path] each.
 */

let received: [id: string, at: number, path: string][] = [];

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const path = request.url ?? "";
    received.push([String(request.headers["webhook-id"]), Date.now(), path]);
    if (path.startsWith("/hang")) return;
    response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("message", () => {
  process.send?.(received);
  received = [];
});
process.on("disconnect", () => process.exit());
