import type { FastifyInstance } from "fastify";
import { announcedKilobytes, type SenderGuard, type SenderLimits } from "../limiter/senders.ts";
import { maxBodyBytes } from "./body.ts";
import { admitSender } from "./sender-places.ts";

/**
 * Limits of pages that anybody may read without a key [reference.sender-limits]. An office that reads the documentation
 * together requests some twenty units a page, including pictures; a program reads all of it at once.
 */
export const openPageLimits: SenderLimits = {
  address: { capacity: 10_000, leakPerSecond: 200 },
  network: { capacity: 30_000, leakPerSecond: 600 },
  store: { capacity: 100_000, leakPerSecond: 2_000 },
};

const requestUnits = 1;
const bytesSentAUnit = 8 * 1_024;

/** Charges the sender for the routes of a scope: a request, the kilobytes of its body, and the bytes sent. */
export function chargeOpenPages(scope: FastifyInstance, guard: SenderGuard): void {
  scope.addHook("onRequest", async (request, reply) => {
    await admitSender(request, reply, guard, requestUnits + announcedKilobytes(request.headers, maxBodyBytes));
  });
  scope.addHook("onSend", async ({ address }, _reply, payload) => {
    const bytes = typeof payload === "string" || Buffer.isBuffer(payload) ? payload.length : 0;
    if (bytes >= bytesSentAUnit) await guard.chargeAddress(address, Math.floor(bytes / bytesSentAUnit));
    return payload;
  });
}
