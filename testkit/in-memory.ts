import type { Foundations } from "../server/main/compose.ts";
import { MemoryCache } from "../server/platform/cache/memory.ts";
import { MemoryConcurrencyLimiter } from "../server/platform/concurrency/memory.ts";
import type { ElapsedClock } from "../server/platform/deadline.ts";
import { MemoryLimiter } from "../server/platform/limiter/memory.ts";
import { ReadinessProbe } from "../server/platform/readiness/readiness.ts";

/**
 * What an API needs in addition to its database, in the form of a single process; it sends no mail, and is always
 * ready.
 */
export const inMemory = (
  elapsed: ElapsedClock,
): Pick<Foundations, "elapsed" | "limiter" | "cache" | "searchPermits" | "mailer" | "readiness"> => ({
  elapsed,
  limiter: new MemoryLimiter(elapsed),
  cache: new MemoryCache(elapsed),
  searchPermits: new MemoryConcurrencyLimiter(),
  mailer: null,
  readiness: new ReadinessProbe({ elapsed, checks: {} }),
});
