import type { FastifyReply, FastifyRequest } from "fastify";
import { countedAddress, type SenderGuard } from "../limiter/senders.ts";
import { retryLater } from "../problems.ts";

/**
 * For a request that needs no key, before its body is read: waits for its address's place if the address was refused
 * lately [api.refused-senders], then charges the address. Throws 429 `rate_limited`.
 */
export async function admitSender(
  request: FastifyRequest,
  reply: FastifyReply,
  guard: SenderGuard,
  units: number,
): Promise<void> {
  const entering = request.server.refusedSenders.enter(countedAddress(request.address), request.deadline);
  if (entering !== null) await takePlace(request, reply, entering);
  await guard.chargeAddress(request.address, units);
}

async function takePlace(
  request: FastifyRequest,
  { raw }: FastifyReply,
  entering: NonNullable<ReturnType<FastifyRequest["server"]["refusedSenders"]["enter"]>>,
): Promise<void> {
  request.place = await entering;
  if (request.place === null) throw retryLater("rate_limited", 1);
  // a client that hangs up does not end the work on its request, so that the place is kept for the longest time
  raw.once("close", () => raw.writableFinished && request.place?.release());
}
