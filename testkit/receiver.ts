import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { patience } from "./slowness.ts";

/** A receiver of webhooks on loopback that misbehaves as a test requires. */

export interface ReceivedRequest {
  /** elapsed ms in the receiver's process when the request was complete */
  at: number;
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
  /** number of its connection */
  connection: number;
}

type Answer = (request: ReceivedRequest, response: ServerResponse, socket: Socket) => void;

export interface Receiver {
  readonly port: number;
  /** `host:port`, in the form of WEBHOOK_ALLOW_HOSTS */
  readonly host: string;
  readonly received: ReceivedRequest[];
  /** number of requests not answered yet */
  readonly open: number;
  /** maximum number of concurrent requests so far */
  readonly mostOpen: number;
  url(path?: string): string;
  answer(how: Answer): void;
  /** Resolves when this many requests have arrived in total. */
  until(count: number, withinMs?: number): Promise<void>;
  close(): Promise<void>;
}

export const answers = {
  status:
    (status: number, headers: Record<string, string> = {}, body = ""): Answer =>
    (_, response) =>
      void response.writeHead(status, headers).end(body),
  after:
    (milliseconds: number, status = 200): Answer =>
    (_, response) =>
      void setTimeout(() => response.writeHead(status).end(), milliseconds),
  /** answers nothing until it is released, and then everything */
  held: (status = 200): { answer: Answer; release: () => void } => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const answer: Answer = (_, response) => void promise.then(() => response.writeHead(status).end());
    return { answer, release: resolve };
  },
  /** accepts the request and never answers */
  hang: (() => undefined) as Answer,
  /** sends a status, and then a byte of body now and then */
  drip:
    (everyMs: number): Answer =>
    (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("x"), everyMs);
      response.on("close", () => clearInterval(timer));
    },
  /** sends this many bytes of body, as fast as they are read */
  flood:
    (bytes: number, status = 200): Answer =>
    (_, response) => {
      response.writeHead(status);
      const chunk = Buffer.alloc(64 * 1024, "y");
      let left = bytes;
      const write = () => {
        while (left > 0) {
          left -= chunk.length;
          if (!response.write(chunk)) return void response.once("drain", write);
        }
        response.end();
      };
      write();
    },
  /** sends bytes instead of HTTP, and then `more` again and again */
  raw:
    (text: string, everyMs?: number, more = ""): Answer =>
    (_, __, socket) => {
      socket.write(text);
      if (everyMs === undefined) return;
      const timer = setInterval(() => socket.write(more), everyMs);
      socket.on("close", () => clearInterval(timer));
    },
  /** sends bytes instead of HTTP, and closes the connection */
  cut:
    (text: string): Answer =>
    (_, __, socket) =>
      void socket.end(text),
  reset: ((_, __, socket) => void socket.resetAndDestroy()) as Answer,
};

export interface ReceiverOptions {
  /** uses TLS */
  tls?: { key: string; cert: string };
}

export async function openReceiver({ tls }: ReceiverOptions = {}): Promise<Receiver> {
  const received: ReceivedRequest[] = [];
  const waiting = new Set<() => void>();
  const sockets = new Map<Socket, number>();
  let answer: Answer = answers.status(204);
  let open = 0;
  let mostOpen = 0;
  let connections = 0;
  const handle = async (message: IncomingMessage, response: ServerResponse) => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    response.on("close", () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk);
    const { method = "", url: path = "", headers, socket } = message;
    const connection = sockets.get(socket) ?? 0;
    const request = { at: performance.now(), method, path, headers, body: Buffer.concat(chunks), connection };
    received.push(request);
    answer(request, response, socket);
    for (const look of waiting) look();
  };
  const listener = (message: IncomingMessage, response: ServerResponse) =>
    void handle(message, response).catch(() => response.destroy());
  const server: Server = tls ? createSecureServer(tls, listener) : createServer(listener);
  server.on(tls ? "secureConnection" : "connection", (socket: Socket) => {
    connections += 1;
    sockets.set(socket, connections);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    host: `127.0.0.1:${port}`,
    received,
    get open() {
      return open;
    },
    get mostOpen() {
      return mostOpen;
    },
    url: (path = "/hooks") => `${tls ? "https" : "http"}://127.0.0.1:${port}${path}`,
    answer: (how) => {
      answer = how;
    },
    until: (count, withinMs = 10_000) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`${received.length} of ${count} requests came in ${withinMs} ms`));
        }, withinMs * patience);
        const look = () => {
          if (received.length < count) return;
          clearTimeout(late);
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: async () => {
      for (const socket of sockets.keys()) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
