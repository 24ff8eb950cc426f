import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CoalescedReads } from "./coalesced-reads.ts";
import { type Deadline, Deadlines } from "./deadline.ts";

describe("fresh reads [operations.fresh-reads]", () => {
  it("never answer one that began before it was asked for, whatever the order of asking and answering", async () => {
    const moves = fc.array(
      fc.oneof(fc.constant("ask"), fc.constant("change"), fc.constant("settle"), fc.constant("turn")),
      {
        maxLength: 60,
      },
    );
    await fc.assert(
      fc.asyncProperty(moves, async (steps) => {
        const reads = new CoalescedReads<number>();
        const settlers: (() => void)[] = [];
        let value = 0;
        let running = 0;
        const load = () => {
          running += 1;
          expect(running).toBeLessThanOrEqual(2);
          // the figure is that of the moment at which the read begins
          const seen = value;
          return new Promise<number>((resolve) => {
            settlers.push(() => {
              running -= 1;
              resolve(seen);
            });
          });
        };
        const asked: Promise<void>[] = [];
        for (const step of steps) {
          if (step === "ask") {
            const atLeast = value;
            asked.push(reads.read("k", load).then((got) => expect(got).toBeGreaterThanOrEqual(atLeast)));
          } else if (step === "change") value += 1;
          else if (step === "settle") settlers.shift()?.();
          else await turn();
        }
        while (asked.length > 0 && (settlers.length > 0 || running > 0 || steps.includes("ask"))) {
          settlers.splice(0).forEach((settle) => {
            settle();
          });
          const done = await Promise.race([Promise.all(asked).then(() => true), turn().then(() => false)]);
          if (done) break;
        }
        await Promise.all(asked);
        expect(running).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it("cost few reads for many askers", async () => {
    const reads = new CoalescedReads<number>();
    let count = 0;
    const load = async () => {
      count += 1;
      await pause(5);
      return count;
    };
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 100 }, () => reads.read("k", load)));
    }
    expect(count).toBe(5);
    await Promise.all([reads.read("a", load), reads.read("b", load)]);
    expect(count).toBe(7);
  });

  it("fail for all who share them, and for nobody else", async () => {
    const reads = new CoalescedReads<number>();
    const failing = () => reads.read("k", () => Promise.reject(new Error("away")));
    const both = await Promise.allSettled([failing(), failing()]);
    expect(both.map((each) => each.status)).toEqual(["rejected", "rejected"]);
    expect(await reads.read("k", async () => 1)).toBe(1);
    const thrown = reads.read("k", () => {
      throw new Error("at once");
    });
    await expect(thrown).rejects.toThrow("at once");
    expect(await reads.read("k", async () => 2)).toBe(2);
  });

  it("go on while anybody waits, and end with the last [operations.fresh-reads]", async () => {
    const reads = new CoalescedReads<string>();
    const deadlines = new Deadlines(() => 0);
    const [hasty, patient] = [deadlines.open(1_000), deadlines.open(2_000)];
    let given: Deadline | undefined;
    let ended = 0;
    const load = (deadline: Deadline) => {
      given = deadline;
      return new Promise<string>((_resolve, reject) => {
        deadline.onExpiry(() => {
          ended += 1;
          reject(new Error("time is up"));
        });
      });
    };
    const answers = Promise.allSettled([reads.read("k", load, hasty), reads.read("k", load, patient)]);
    await turn();
    expect(given?.remaining()).toBe(2_000);
    hasty.expire();
    expect([given?.expired, ended]).toEqual([false, 0]);
    patient.expire();
    expect([given?.expired, ended]).toEqual([true, 1]);
    expect((await answers).map((each) => each.status)).toEqual(["rejected", "rejected"]);
    deadlines.stop();
  });
});
