import type { FastifyReply } from "fastify";
import { type CostClass, costs, planAllowances } from "../../../contract/limits.ts";
import type { Caller, SignedIn } from "../caller.ts";
import { rateLimitHeaders } from "../limiter/headers.ts";
import { type Admission, type BucketState, type Charge, type Limiter, LimiterUnavailable } from "../limiter/types.ts";
import { Problem, retryLater } from "../problems.ts";

/** Charges a request [api.costs, api.rate-headers] and sets the rate headers. */

/**
 * An analytics call pays this much when its key is accepted, and the rest when a body is sent [api.analytics-price].
 */
const analyticsAdmission = 1;

export function chargeOf({ store: { id, allowances }, by }: Caller, cost: number): Charge {
  const { capacity, leak_per_second: leak, bot_multiplier: multiplier } = allowances;
  const key = { capacity, leakPerSecond: leak };
  const times = (factor: number) => ({ capacity: capacity * factor, leakPerSecond: leak * factor });
  if (by.kind === "key") return { storeId: id, keyId: by.keyId, key, store: times(multiplier), cost };
  return {
    storeId: `${ofPeople}${id}`,
    keyId: by.person.userId,
    key: times(windowsAtOnce),
    store: times(peopleAtOnce),
    cost,
  };
}

/** Part of the buckets' names. */
const ofPeople = "people of ";

/** A person has several windows open, and each screen sends several requests and refreshes them. */
const windowsAtOnce = 10;

/** People must not use up the programs' share: a store's people have a bucket of their own [dashboard-api.limits]. */
const peopleAtOnce = 100;

export const charge = (limiter: Limiter, caller: Caller, cost: CostClass, reply: FastifyReply) =>
  admit(limiter, chargeOf(caller, unitsAtFirst(cost)), cost, reply);

/** Charges a person's request that is about no store. */
export const chargePerson = (limiter: Limiter, person: SignedIn, cost: CostClass, reply: FastifyReply) =>
  admit(limiter, chargeOfPerson(person, unitsAtFirst(cost)), cost, reply);

const unitsAtFirst = (cost: CostClass): number => (cost === "analytics" ? analyticsAdmission : costs[cost]);

function chargeOfPerson({ userId }: SignedIn, cost: number): Charge {
  const { capacity, leak_per_second: leakPerSecond } = planAllowances.plus;
  const rule = { capacity: capacity * windowsAtOnce, leakPerSecond: leakPerSecond * windowsAtOnce };
  return { storeId: `${ofPeople}no store ${userId}`, keyId: userId, key: rule, store: rule, cost };
}

async function admit(limiter: Limiter, charged: Charge, cost: CostClass, reply: FastifyReply): Promise<void> {
  try {
    applyAdmission(await limiter.admit(charged), charged, reply);
  } catch (error) {
    if (!(error instanceof LimiterUnavailable)) throw error;
    // reads go on without limits rather than not at all [api.limiter-away]
    if (cost !== "read" && cost !== "analytics")
      throw retryLater("limiter_unavailable", error.retryAfterSeconds, error);
  }
}

/** Books the rest of an analytics call's price, even on a full bucket, just before its body is sent. */
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

function applyAdmission(admission: Admission, { storeId }: Charge, reply: FastifyReply): void {
  setHeaders(reply, admission.admitted ? admission.key : admission.bucket);
  if (admission.admitted) return;
  const own = storeId.startsWith(ofPeople) ? "Your" : "The key's";
  const limited = admission.rejectedBy === "key" ? own : "The store's";
  throw new Problem("rate_limited", {
    detail: `${limited} rate limit is used up; wait ${admission.retryAfterSeconds} s`,
    extra: { retry_after: admission.retryAfterSeconds },
  });
}

function setHeaders(reply: FastifyReply, state: BucketState): void {
  const headers = rateLimitHeaders(state);
  reply.header("RateLimit", headers.RateLimit);
  reply.header("RateLimit-Policy", headers["RateLimit-Policy"]);
}
