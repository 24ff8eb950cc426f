import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { ClientConfig } from "pg";

/**
 * A connection pooler on loopback in front of a PostgreSQL, as far as clients notice it: like PgBouncer it gives them
 * process ids of its own, passes cancel requests on, offers no encryption, and refuses startup parameters that it does
 * not know. It does not reuse connections.
 */
export interface TestPooler {
  readonly port: number;
  close(): Promise<void>;
}

export interface PoolerOptions {
  /** answers every client's simple queries on one connection, like a pooler in transaction mode */
  shared?: boolean;
  /** drops cancel requests */
  ignoresCancels?: boolean;
  /** connections at once; further clients are admitted and get no answer */
  size?: number;
}

const sslRequest = 80_877_103;
const cancelRequest = 80_877_102;
const known = new Set(["user", "database", "application_name", "client_encoding", "DateStyle", "TimeZone"]);

interface Key {
  pid: number;
  secret: number;
}

export async function openPooler(target: ClientConfig, options: PoolerOptions = {}): Promise<TestPooler> {
  const { size = Number.POSITIVE_INFINITY } = options;
  const sockets = new Set<Socket>();
  const keys = new Map<number, Key>();
  const shared: { lane: Lane | null } = { lane: null };
  let inUse = 0;
  const dial = (): Socket => {
    const { host = "127.0.0.1", port = 5432 } = target;
    return track(host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host));
  };
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
  };
  const admit = (near: Socket, startup: Buffer) => {
    const refused = namesIn(startup).find((name) => !known.has(name));
    if (refused !== undefined) {
      near.end(message("E", `SFATAL\0C08P01\0Munsupported startup parameter: ${refused}\0\0`));
      return;
    }
    inUse += 1;
    near.on("close", () => {
      inUse -= 1;
    });
    const isFull = inUse > size;
    const far = dial();
    far.write(startup);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    let isReady = false;
    eachMessage(far, (type, whole) => {
      if (type === "K") near.write(renamed(whole, keys));
      else near.write(whole);
      if (type !== "Z" || isReady) return;
      isReady = true;
      if (options.shared) shared.lane ??= openLane(far);
    });
    near.on("data", (chunk) => {
      if (!isReady || !(isFull || shared.lane)) far.write(chunk);
      else if (!isFull && chunk[0] === "Q".charCodeAt(0)) shared.lane?.ask(chunk, near);
    });
  };
  const cancel = (request: Buffer) => {
    const key = keys.get(request.readInt32BE(8));
    if (!key || options.ignoresCancels) return;
    const passed = Buffer.from(request);
    passed.writeInt32BE(key.pid, 8);
    passed.writeInt32BE(key.secret, 12);
    dial().end(passed);
  };
  const greet = (near: Socket) =>
    near.once("data", (chunk) => {
      const code = chunk.readInt32BE(4);
      if (code === sslRequest) greet(near).write("N");
      else if (code === cancelRequest) {
        cancel(chunk);
        near.end();
      } else admit(near, chunk);
    });
  const server = createServer((near) => void greet(track(near)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as { port: number }).port,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function message(type: string, content: string): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(Buffer.byteLength(content) + 4, 1);
  return Buffer.concat([head, Buffer.from(content)]);
}

/** The names of a startup message's parameters. */
function namesIn(startup: Buffer): string[] {
  const texts = startup.subarray(8).toString().split("\0");
  return texts.filter((text, index) => index % 2 === 0 && text !== "");
}

/** A BackendKeyData message with a process id of the pooler's own. */
function renamed(whole: Buffer, keys: Map<number, Key>): Buffer {
  const pid = 1_000_000_000 + keys.size;
  keys.set(pid, { pid: whole.readInt32BE(5), secret: whole.readInt32BE(9) });
  const other = Buffer.from(whole);
  other.writeInt32BE(pid, 5);
  return other;
}

function eachMessage(socket: Socket, hear: (type: string, whole: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = rest.readInt32BE(1) + 1;
      hear(String.fromCharCode(rest[0] ?? 0), rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  });
}

interface Lane {
  ask(query: Buffer, client: Socket): void;
}

/** One server connection, whose listeners are replaced: it answers the queries of all clients in turn. */
function openLane(far: Socket): Lane {
  const waiting: [Buffer, Socket][] = [];
  let current: Socket | null = null;
  const next = () => {
    const [query, client] = waiting.shift() ?? [];
    current = client ?? null;
    if (query) far.write(query);
  };
  far.removeAllListeners("data");
  eachMessage(far, (type, whole) => {
    current?.write(whole);
    if (type === "Z") next();
  });
  return {
    ask: (query, client) => {
      waiting.push([query, client]);
      if (current === null) next();
    },
  };
}
