import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { parseAnswers, type RawAnswer } from "../testkit/raw-http.ts";

/** A raw conversation over a socket; when the other side closes is part of the result. */

/** A client's action on its socket: half-closes it, or resets it. */
export const fin = { fin: true } as const;
export const reset = { reset: true } as const;
/** Bytes, a pause in milliseconds, or one of those actions. */
export type Move = string | Buffer | number | typeof fin | typeof reset;

export interface Talk {
  answers: RawAnswer[];
  /** whether the server closed before the client did */
  closed: boolean;
  ms: number;
  /** what arrived, if it is not HTTP */
  strange: string | null;
}

export interface WaitLimit {
  /** how long to wait for the first byte */
  firstMs: number;
  /** how long a silence after it counts as the end */
  quietMs: number;
}

const ordinary: WaitLimit = { firstMs: 5_000, quietMs: 120 };

/** Sends the pieces one after another, and reads until the server closes or falls silent. */
export async function talk(port: number, moves: readonly Move[], patience: WaitLimit = ordinary): Promise<Talk> {
  const started = performance.now();
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const chunks: Buffer[] = [];
  const heard = { last: 0, ended: false };
  const hear = () => {
    heard.last = performance.now();
  };
  socket.on("data", (chunk) => {
    chunks.push(chunk);
    hear();
  });
  socket.on("end", () => {
    heard.ended = true;
  });
  socket.on("error", () => {
    heard.ended = true;
  });
  socket.on("close", () => {
    heard.ended = true;
  });
  await once(socket, "connect");
  for (const move of moves) {
    if (typeof move === "number") await pause(move);
    else if (move === fin) socket.end();
    else if (move === reset) socket.resetAndDestroy();
    else if (socket.writable) await new Promise((resolve) => socket.write(move as string | Buffer, resolve));
  }
  const sent = performance.now();
  while (!heard.ended) {
    const now = performance.now();
    if (heard.last === 0 ? now - sent > patience.firstMs : now - Math.max(heard.last, sent) > patience.quietMs) break;
    await pause(10);
  }
  const { ended: closed } = heard;
  socket.destroy();
  const text = Buffer.concat(chunks).toString("latin1");
  const ms = performance.now() - started;
  try {
    return { answers: parseAnswers(text), closed, ms, strange: null };
  } catch {
    return { answers: [], closed, ms, strange: text.slice(0, 300) };
  }
}
