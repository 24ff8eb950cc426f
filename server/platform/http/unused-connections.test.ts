import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it } from "vitest";
import { openTestApp } from "../../../testkit/app.ts";
import { slowRoutes } from "../../../testkit/operations.ts";
import { listen } from "../../../testkit/raw-http.ts";

/** Resolves when it is closed, also by a reset. */
function closing(socket: Socket): Promise<void> {
  socket.on("error", () => undefined);
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

it.each([
  ["no request", ""],
  ["half a request", "GET /healthz HTTP/1.1\r\nHost: shop.example\r\n"],
  ["a request that was answered", "GET /healthz HTTP/1.1\r\nHost: shop.example\r\n\r\n"],
])("connections with %s do not keep a server from stopping [operations.stop]", async (_what, sent) => {
  const t = await openTestApp();
  const socket = connect(await listen(t.app), "127.0.0.1");
  await once(socket, "connect");
  if (sent !== "") await new Promise((done) => socket.write(sent, done));
  if (sent.endsWith("\r\n\r\n")) await once(socket, "data");
  const closed = closing(socket);
  socket.resume();
  await t.app.close();
  await closed;
  await t.close();
});

it("a request under way is answered before its connection closes [operations.stop]", async () => {
  const t = await openTestApp({ extraRoutes: slowRoutes(0.2) });
  const store = await t.store();
  const path = slowRoutes(0.2)[0]?.operation.path ?? "";
  const socket = connect(await listen(t.app), "127.0.0.1");
  let text = "";
  socket.on("data", (piece) => (text += String(piece)));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: shop.example\r\nAuthorization: Bearer ${store.key}\r\n\r\n`);
  await expect.poll(() => t.app.underWay.count).toBe(1);
  const closed = closing(socket);
  await t.app.close();
  await closed;
  expect(text).toMatch(/^HTTP\/1.1 200 /);
  await t.close();
});
