import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EndpointStatus, statusAfter } from "./endpoint-status.ts";
import type { Outcome } from "./outcome.ts";

const hour = 3_600_000;
const start = Date.parse("2026-03-10T12:00:00.000Z");

const outcome = (kind: string, at: number): Outcome => ({
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
  it("comes with the first 410, or the first failure 120 hours into failing, however outcomes are grouped", () => {
    const kind = fc.constantFrom("failed", "failed", "failed", "delivered", "returned", "interrupted", "gone");
    const step = fc.tuple(kind, fc.integer({ min: 0, max: 80 * hour }), fc.boolean());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let at = start;
        let status: EndpointStatus = {
          status: "enabled",
          failing_since: null,
          disabled_reason: null,
          disabled_at: null,
        };
        let group: Outcome[] = [];
        const record = () => {
          status = statusAfter(status, group);
          group = [];
        };
        const times = steps.map(([name, wait, ends]) => {
          at += wait;
          group.push(outcome(name, at));
          if (ends) record();
          return at;
        });
        record();
        const kinds = steps.map(([name]) => name);
        const { disabled_reason: reason, disabled_at: disabledAt } = status;
        expect(reason === null ? null : { reason, at: disabledAt?.getTime() }).toEqual(naive(kinds, times));
      }),
    );
  });
});
