import type pg from "pg";
import { together } from "./together.ts";

/**
 * Sends statements of a dedicated, idle connection in one write, without waiting for the answers to earlier ones. Only
 * plain queries: COPY and the driver's cursors need a connection that waits.
 */
export async function pipelined<const Sent extends readonly Promise<unknown>[]>(
  client: pg.PoolClient,
  send: () => Sent,
): Promise<{ -readonly [Place in keyof Sent]: Awaited<Sent[Place]> }> {
  const { stream } = client.connection;
  client.pipeline = true;
  stream.cork();
  const sent = send();
  stream.uncork();
  try {
    return await together(sent);
  } finally {
    client.pipeline = false;
  }
}
