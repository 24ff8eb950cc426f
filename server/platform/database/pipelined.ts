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
  client.pipeline = true;
  try {
    return await together(inOneWrite(client, send));
  } finally {
    client.pipeline = false;
  }
}

function inOneWrite<Sent>(client: pg.PoolClient, send: () => Sent): Sent {
  const { stream } = client.connection;
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}
