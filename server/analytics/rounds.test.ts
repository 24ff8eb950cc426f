import { expect, it } from "vitest";
import type { Operation } from "../../contract/operation.ts";
import type { Question } from "./question.ts";
import { type Outcome, Rounds } from "./rounds.ts";

it("of a store whose screens ask again make all of them, however many stores are looked at [analytics.live-rounds]", async () => {
  let now = 0;
  const made = new Map<string, string[][]>();
  const rounds = new Rounds({
    calendar: { now: () => now, afterReal: (ms) => now + ms },
    make: async (storeId, selection) => {
      made.set(storeId, [...(made.get(storeId) ?? []), [...selection.keys()]]);
      return new Map<string, Outcome>();
    },
  });
  const of = (id: string) => ({ selection: { store: { id } } }) as Question<Operation>;
  await rounds.next("a 0", of("a"));
  rounds.watch("a 1", of("a"));
  now = 6_000;
  for (let index = 0; index < 2_500; index += 1) {
    await rounds.next("key", of(`other ${index}`));
    if (index % 500 === 0) rounds.watch("a 2", of("a"));
  }
  await rounds.next("a 0", of("a"));
  expect(made.get("a")).toEqual([["a 0"], ["a 0", "a 2", "a 1"]]);
});
