import type { FastifyReply } from "fastify";
import { type CostClass, costs } from "../../../contract/limits.ts";
import type { Caller } from "../caller.ts";
import { rateLimitHeaders } from "../limiter/headers.ts";
import { type Admission, type BucketState, type Charge, type Limiter, LimiterUnavailable } from "../limiter/types.ts";
import { Problem, retryLater } from "../problems.ts";

/** Charges a request [api.costs, api.rate-headers] and says so in its headers. */

/** An analytics call pays this much when its key is accepted, the rest when a body is served [api.analytics-price]. */
const analyticsAdmission = 1;

export const chargeOf = (caller: Caller, cost: number): Charge => {
  const { capacity, leak_per_second: leak, bot_multiplier: multiplier } = caller.store.allowances;
  return {
    storeId: caller.store.id,
    keyId: caller.keyId,
    key: { capacity, leakPerSecond: leak },
    store: { capacity: capacity * multiplier, leakPerSecond: leak * multiplier },
    cost,
  };
};

export function charge(limiter: Limiter, caller: Caller, cost: CostClass, reply: FastifyReply): void | Promise<void> {
  const units = cost === "analytics" ? analyticsAdmission : costs[cost];
  const apply = (admission: Admission) => applyAdmission(admission, reply);
  // reads go on without limits rather than not at all [api.limiter-away]
  const unavailable = (error: unknown) => {
    if (!(error instanceof LimiterUnavailable)) throw error;
    if (cost !== "read" && cost !== "analytics")
      throw retryLater("limiter_unavailable", error.retryAfterSeconds, error);
  };
  try {
    const admission = limiter.admit(chargeOf(caller, units));
    return admission instanceof Promise ? admission.then(apply).catch(unavailable) : apply(admission);
  } catch (error) {
    return unavailable(error);
  }
}

/** The rest of an analytics call's price, booked even on a full bucket, just before its body is sent. */
export async function bookSurcharge(limiter: Limiter, caller: Caller, reply: FastifyReply): Promise<void> {
  try {
    const state = await limiter.book(chargeOf(caller, costs.analytics - analyticsAdmission));
    setHeaders(reply, state);
  } catch (error) {
    if (!(error instanceof LimiterUnavailable)) throw error;
    reply.removeHeader("RateLimit");
    reply.removeHeader("RateLimit-Policy");
    reply.removeHeader("ETag");
    throw retryLater("limiter_unavailable", error.retryAfterSeconds, error);
  }
}

function applyAdmission(admission: Admission, reply: FastifyReply): void {
  setHeaders(reply, admission.admitted ? admission.key : admission.bucket);
  if (admission.admitted) return;
  const whose = admission.rejectedBy === "key" ? "The key's" : "The store's";
  throw new Problem("rate_limited", {
    detail: `${whose} rate limit is used up; wait ${admission.retryAfterSeconds} s`,
    extra: { retry_after: admission.retryAfterSeconds },
  });
}

function setHeaders(reply: FastifyReply, state: BucketState): void {
  const headers = rateLimitHeaders(state);
  reply.header("RateLimit", headers.RateLimit);
  reply.header("RateLimit-Policy", headers["RateLimit-Policy"]);
}
