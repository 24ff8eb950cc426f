import type { FastifyInstance } from "fastify";
import { countedAddress } from "../platform/limiter/senders.ts";
import { type ReadinessProbe, readinessCode } from "../platform/readiness/readiness.ts";

/**
 * Whether the process is alive, and whether it can do its work: for supervisors and load balancers [operations.health].
 */

export const alive = { status: "ok" };

/** Registers both next to the API, without a key. */
export function registerHealth(app: FastifyInstance, readiness: ReadinessProbe): void {
  app.register(async (scope) => {
    scope.addHook("onRequest", async ({ address, server }) => {
      await server.strangers.pace(countedAddress(address));
    });
    scope.get("/healthz", (_request, reply) => reply.header("Cache-Control", "no-store").send(alive));
    scope.get("/readyz", async (_request, reply) => {
      const found = await readiness.read();
      return reply.code(readinessCode(found)).header("Cache-Control", "no-store").send(found);
    });
  });
}
