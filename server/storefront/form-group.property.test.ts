import fc from "fast-check";
import { expect, it } from "vitest";
import { formGroup, type GroupLimits, type WaitingEntry } from "./form-group.ts";

interface Entry extends WaitingEntry {
  number: number;
}

const limits: GroupLimits = {
  ...{ groupRequests: 6, groupEvents: 40, groupBytes: 40 },
  ...{ groupSenderEvents: 15, groupSenderBytes: 15, lightRequests: 2, lightEvents: 8 },
};
const now = 10;
const sender = fc.constantFrom(null, "x", "y", "z");
const entries = fc
  .array(
    fc.record({
      sender,
      bytes: fc.integer({ min: 1, max: 20 }),
      events: fc.integer({ min: 0, max: 20 }),
      end: fc.constantFrom(5, 20, 20, 20),
      answered: fc.constantFrom(true, false, false, false),
    }),
    { maxLength: 14 },
  )
  .map((all) => all.map((entry, number): Entry => ({ ...entry, number })));
const heavyBefore = fc.subarray(["x", "y", "z"]).map((names) => new Set(names));

const isOver = ({ answered, end }: Entry) => answered || now >= end;
const sum = (of: readonly Entry[], size: "bytes" | "events") => of.reduce((all, entry) => all + entry[size], 0);
const numbers = (of: readonly Entry[]) => of.map(({ number }) => number);

it("a group takes the oldest requests within the bounds of the group and of each sender, and leaves out who was heavy [storefront.groups]", () => {
  let leftOut = 0;
  fc.assert(
    fc.property(entries, heavyBefore, (all, before) => {
      const { group, waiting, expired, heavy } = formGroup(all, limits, { now, heavyBefore: before });
      expect(numbers(expired)).toEqual(numbers(all.filter(isOver)));
      const live = all.filter((entry) => !isOver(entry));
      expect(numbers([...group, ...waiting]).sort((a, b) => a - b)).toEqual(numbers(live));
      expect(numbers(waiting)).toEqual(numbers(waiting).sort((a, b) => a - b));
      if (live.length > 0) expect(group.length).toBeGreaterThan(0);
      expect(group.length).toBeLessThanOrEqual(limits.groupRequests);
      if (group.length > 1) {
        expect(sum(group, "events")).toBeLessThanOrEqual(limits.groupEvents);
        expect(sum(group, "bytes")).toBeLessThanOrEqual(limits.groupBytes);
      }
      const others = live.some((entry) => entry.sender === null || !before.has(entry.sender));
      for (const name of ["x", "y", "z"]) {
        const [taken, left] = [group, waiting].map((of) => of.filter((entry) => entry.sender === name));
        const [own, rest] = [taken ?? [], left ?? []];
        if (others && before.has(name)) {
          leftOut += rest.length;
          expect(own).toEqual([]);
        }
        if (own.length > 1) {
          expect(sum(own, "events")).toBeLessThanOrEqual(limits.groupSenderEvents);
          expect(sum(own, "bytes")).toBeLessThanOrEqual(limits.groupSenderBytes);
        }
        // a sender's requests keep their order
        expect(Math.max(...numbers(own), -1)).toBeLessThan(Math.min(...numbers(rest), Number.POSITIVE_INFINITY));
        expect(heavy.has(name)).toBe(own.length > limits.lightRequests || sum(own, "events") > limits.lightEvents);
      }
    }),
    { numRuns: 500 },
  );
  expect(leftOut).toBeGreaterThan(100);
});
