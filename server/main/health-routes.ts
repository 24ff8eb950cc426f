import type { FastifyInstance } from "fastify";
import { type ReadinessProbe, readinessCode } from "../platform/readiness/readiness.ts";

/**
 * Whether the process lives, and whether it can do its work: for those who start it and send requests its way
 * [operations.health].
 */

export const alive = { status: "ok" };

/** Registers both beside the API, without a key. */
export function registerHealth(app: FastifyInstance, readiness: ReadinessProbe): void {
  app.get("/healthz", (_request, reply) => reply.header("Cache-Control", "no-store").send(alive));
  app.get("/readyz", async (_request, reply) => {
    const found = await readiness.read();
    return reply.code(readinessCode(found)).header("Cache-Control", "no-store").send(found);
  });
}
