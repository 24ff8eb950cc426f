import { register } from "prom-client";
import { expect, it } from "vitest";
import { MemoryLimiter } from "./memory.ts";
import { meteredLimiter } from "./metered.ts";
import { type Charge, type Limiter, LimiterUnavailable } from "./types.ts";

const charge: Charge = {
  storeId: "s",
  keyId: "k",
  key: { capacity: 2, leakPerSecond: 1 },
  store: { capacity: 10, leakPerSecond: 1 },
  cost: 1,
};

it("decides as the limiter behind it, and counts what was decided [operations.metrics]", async () => {
  register.resetMetrics();
  const limiter = meteredLimiter(new MemoryLimiter(() => 0));
  const answers = await Promise.all([1, 2, 3].map(() => limiter.admit(charge)));
  expect(answers.map(({ admitted }) => admitted)).toEqual([true, true, false]);
  await limiter.book(charge);
  await limiter.chargeBucket({ name: "a", rule: { capacity: 1, leakPerSecond: 1 }, cost: 1 });
  await limiter.chargeBucket({ name: "a", rule: { capacity: 1, leakPerSecond: 1 }, cost: 1 });
  const away: Limiter = {
    admit: () => Promise.reject(new LimiterUnavailable(new Error("gone"))),
    book: () => Promise.reject(new LimiterUnavailable(new Error("gone"))),
    chargeBucket: () => Promise.reject(new LimiterUnavailable(new Error("gone"))),
    close: async () => undefined,
  };
  const broken = meteredLimiter(away);
  await expect(broken.admit(charge)).rejects.toBeInstanceOf(LimiterUnavailable);
  await expect(broken.book(charge)).rejects.toBeInstanceOf(LimiterUnavailable);
  const lines = (await register.metrics()).split("\n").filter((line) => line.startsWith("quizstore_limiter"));
  expect(lines.sort()).toEqual(
    [
      'rule="api",decision="allowed"} 2',
      'rule="api",decision="limited"} 1',
      'rule="api",decision="unavailable"} 1',
      'rule="storefront",decision="allowed"} 1',
      'rule="storefront",decision="limited"} 1',
      'rule="surcharge",decision="allowed"} 1',
      'rule="surcharge",decision="unavailable"} 1',
    ].map((line) => `quizstore_limiter_decisions_total{${line}`),
  );
});
