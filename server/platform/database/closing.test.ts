import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLog } from "../log.ts";
import { Database } from "./database.ts";

/** A message of PostgreSQL's protocol: its type, its length and its content. */
function message(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(type), length, content]);
}

const ready = Buffer.concat([message("R", Buffer.alloc(4)), message("Z", Buffer.from("I"))]);
const isSet = Buffer.concat([message("C", Buffer.from("SET\0")), message("Z", Buffer.from("I"))]);
const stopped = message("E", Buffer.from("SFATAL\0C57P01\0Mthe server stops\0\0"));

const sockets: Socket[] = [];
/** Lets everybody in, and tells whoever leaves that it stops. */
const server = createServer((socket) => {
  sockets.push(socket);
  socket.once("data", () => {
    socket.write(ready);
    socket.on("data", ([type]) => (type === "Q".charCodeAt(0) ? socket.write(isSet) : socket.end(stopped)));
  });
  socket.on("error", () => undefined);
});
beforeEach(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

function opened() {
  const warnings: string[] = [];
  const log = openLog("warn", { write: (line: string) => void warnings.push(JSON.parse(line).msg) });
  const { port } = server.address() as AddressInfo;
  const connection = { host: "127.0.0.1", port, user: "u", database: "d" };
  return { warnings, database: new Database({ connection, size: 1, log }) };
}

describe("a pool with an idle connection [operations.stop]", () => {
  it("closes without a warning while the server stops", async () => {
    const { warnings, database } = opened();
    (await database.dedicated()).release();
    const gone = once(sockets.at(-1) as Socket, "close");
    await database.close();
    await gone;
    expect(warnings).toEqual([]);
  });

  it("warns when the server stops before", async () => {
    const { warnings, database } = opened();
    (await database.dedicated()).release();
    const gone = once(sockets.at(-1) as Socket, "close");
    (sockets.at(-1) as Socket).end(stopped);
    await gone;
    await expect.poll(() => warnings).toEqual(["an idle database connection was lost"]);
    await database.close();
  });
});
