import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Settled } from "./delivery-rows.ts";
import { type Health, healthAfter } from "./health.ts";

const hour = 3_600_000;
const start = Date.parse("2026-03-10T12:00:00.000Z");

const outcome = (kind: string, at: number): Settled => ({
  claimed: { id: "", eventId: "", attempts: 1, due: new Date(start), payload: "" },
  url: "",
  status: kind === "delivered" || kind === "returned" ? kind : "retrying",
  at: new Date(at),
  nextAttemptAt: null,
  statusCode: kind === "gone" ? 410 : 500,
  response: null,
  error: kind === "interrupted" ? "interrupted" : "HTTP 500",
});

/** The rule as it is written: from the first failure after the last success. */
function naive(kinds: readonly string[], times: readonly number[]) {
  for (const [i, kind] of kinds.entries()) {
    if (kind === "gone") return { reason: "gone", at: times[i] };
    if (kind !== "failed") continue;
    const lastSuccess = kinds.lastIndexOf("delivered", i);
    const first = kinds.findIndex((other, j) => j > lastSuccess && other === "failed");
    if ((times[i] ?? 0) - (times[first] ?? 0) >= 120 * hour) return { reason: "failing", at: times[i] };
  }
  return null;
}

describe("disabling [webhooks.disable]", () => {
  it("comes with the first 410, or the first failure 120 hours into failing, however outcomes are grouped into turns", () => {
    const kind = fc.constantFrom("failed", "failed", "failed", "delivered", "returned", "interrupted", "gone");
    const step = fc.tuple(kind, fc.integer({ min: 0, max: 80 * hour }), fc.boolean());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let at = start;
        let health: Health = { status: "enabled", failing_since: null };
        let disabled: { reason: string | undefined; at: number | undefined } | null = null;
        let turn: Settled[] = [];
        const take = () => {
          const after = healthAfter(health, turn);
          if (health.status === "enabled" && after.status === "disabled") {
            disabled = { reason: after.disabled_reason, at: after.disabled_at?.getTime() };
          }
          health = { status: after.status, failing_since: after.failing_since };
          turn = [];
        };
        const times = steps.map(([name, wait, ends]) => {
          at += wait;
          turn.push(outcome(name, at));
          if (ends) take();
          return at;
        });
        take();
        const kinds = steps.map(([name]) => name);
        expect(disabled).toEqual(naive(kinds, times));
      }),
    );
  });
});
