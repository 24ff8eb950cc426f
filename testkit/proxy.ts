import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { ClientConfig } from "pg";

/**
 * A TCP proxy on loopback, in front of a PostgreSQL on TCP or on a socket file, that a test can cut, restore, or make
 * swallow everything.
 */
export interface TcpProxy {
  readonly port: number;
  /** Ends every connection with a reset and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections again, on the same port. */
  restore(): Promise<void>;
  /** Keeps connections open but passes nothing on, like a network that drops packets. */
  swallow(on: boolean): void;
  /** Accepts new connections but answers none, and passes on what the others send, like a suspended postmaster. */
  ignoreNew(): void;
  /** How often the client has sent something and then waited for an answer, so far. */
  readonly roundTrips: number;
  /** Delays everything by this time. */
  delay(milliseconds: number): void;
  close(): Promise<void>;
}

export async function openProxy({ host = "127.0.0.1", port: targetPort = 5432 }: ClientConfig): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let swallowing = false;
  let ignoresNew = false;
  let delayMs = 0;
  let roundTrips = 0;
  let lastFrom: Socket | null = null;
  const server = createServer((near) => {
    if (ignoresNew) {
      sockets.add(near);
      near.on("error", () => undefined).on("close", () => sockets.delete(near));
      return;
    }
    const far = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${targetPort}`) : connect(targetPort, host);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      let passed = Promise.resolve();
      from.on("data", (chunk) => {
        if (swallowing) return;
        if (from === near && lastFrom !== near) roundTrips += 1;
        lastFrom = from;
        const due = performance.now() + delayMs;
        // One after the other: timers set in one turn of the event loop can fire in another order than that of their
        // times.
        passed = passed.then(async () => {
          const wait = due - performance.now();
          if (wait > 0) await pause(wait);
          to.write(chunk);
        });
      });
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const listenOn = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as { port: number }).port;
  };
  const port = await listenOn(0);
  const cut = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    // the database's end may be a Unix socket, which has no reset
    for (const socket of sockets) socket.remoteFamily ? socket.resetAndDestroy() : socket.destroy();
    await closed;
  };
  return {
    port,
    cut,
    restore: async () => void (await listenOn(port)),
    get roundTrips() {
      return roundTrips;
    },
    swallow: (on) => {
      swallowing = on;
    },
    ignoreNew: () => {
      ignoresNew = true;
    },
    delay: (milliseconds) => {
      delayMs = milliseconds;
    },
    close: cut,
  };
}
