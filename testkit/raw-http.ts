import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";

/** HTTP as bytes over a real socket, for what no client library would send. */

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

export async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ host: "127.0.0.1", port: 0 });
  const address = app.server.address();
  if (address === null || typeof address === "string") throw new Error("the app listens on no port");
  return address.port;
}

/**
 * Sends the pieces one after the other (a number is a pause in milliseconds), and reads until the server closes, or
 * until it has answered and then says nothing for a while. Interim 1xx answers are left out.
 */
export async function exchange(port: number, pieces: readonly (string | Buffer | number)[]): Promise<RawAnswer[]> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  let last = Number.POSITIVE_INFINITY;
  socket.on("data", (chunk) => {
    chunks.push(chunk);
    last = performance.now();
  });
  const closed = once(socket, "close").catch(() => undefined);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  for (const piece of pieces) {
    if (typeof piece === "number") await pause(piece);
    else if (socket.writable) await new Promise((resolve) => socket.write(piece, resolve));
  }
  const quiet = (async () => {
    const start = performance.now();
    while (performance.now() - last < 150 && performance.now() - start < 8_000) await pause(20);
    while (last === Number.POSITIVE_INFINITY && performance.now() - start < 8_000) await pause(20);
    while (performance.now() - last < 150) await pause(20);
  })();
  await Promise.race([closed, quiet]);
  socket.destroy();
  return parseAnswers(Buffer.concat(chunks).toString("latin1"));
}

/** Throws where it is no HTTP. */
export function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  while (rest !== "") {
    const end = rest.indexOf("\r\n\r\n");
    const [first = "", ...lines] = rest.slice(0, end < 0 ? undefined : end).split("\r\n");
    const match = /^HTTP\/1\.1 (\d{3}) /.exec(first);
    if (!match?.[1] || end < 0) throw new Error(`no HTTP answer: ${JSON.stringify(rest.slice(0, 200))}`);
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const status = Number(match[1]);
    const length = Number(headers["content-length"] ?? 0);
    if (status >= 200) answers.push({ status, headers, text: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}
