import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { patience } from "./slowness.ts";

/** HTTP as bytes over a real socket, for requests that no client library would send. */

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

/** Longer than any answer takes on a busy machine; only requests that are never answered wait this long. */
const answeredWithinMs = 20_000 * patience;
/** A server that has answered and is silent for this long has finished. */
const quietMs = 150;

/**
 * Sends the pieces one after another (a number is a pause in milliseconds), and reads until the server closes the
 * connection, or until it has sent the expected number of answers and is then silent for a while. Interim 1xx answers
 * are ignored.
 *
 * @param answersExpected on one connection; further ones are read too
 */
export async function exchange(
  port: number,
  pieces: readonly (string | Buffer | number)[],
  answersExpected = 1,
): Promise<RawAnswer[]> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  let last = performance.now();
  socket.on("data", (chunk) => {
    chunks.push(chunk);
    last = performance.now();
  });
  const read = () => Buffer.concat(chunks).toString("latin1");
  let isClosed = false;
  const closed = once(socket, "close")
    .catch(() => undefined)
    .finally(() => {
      isClosed = true;
    });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  for (const piece of pieces) {
    if (typeof piece === "number") await pause(piece);
    else if (socket.writable) await new Promise((resolve) => socket.write(piece, resolve));
  }
  const quiet = async () => {
    const sent = performance.now();
    const since = () => performance.now() - Math.max(last, sent);
    const waits = () => performance.now() - sent < answeredWithinMs && answeredIn(read()) < answersExpected;
    while (!isClosed && (waits() || since() < quietMs)) await pause(20);
  };
  await Promise.race([closed, quiet()]);
  socket.destroy();
  return parseAnswers(read());
}

/** The number of complete answers, without interim ones; 0 while an answer's head is incomplete. */
function answeredIn(text: string): number {
  try {
    return parseAnswers(text).length;
  } catch {
    return 0;
  }
}

/** Throws if the text is not valid HTTP. */
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
