import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { Library } from "./library.ts";
import { SearchIndex } from "./search.ts";

let index: SearchIndex;
beforeAll(() => {
  index = new SearchIndex(new Library(join(import.meta.dirname, "../..")));
});

/** ms of the processor that the search takes, at best. */
function cheapest(query: string): number {
  const taken = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    index.find(query);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...taken);
}

const letters = "abcdefghiklmnoprstuvwy";

describe("a search of the documentation [reference.search]", () => {
  it.each([
    ["a hundred different letters", Array.from({ length: 100 }, (_, at) => letters[at % letters.length]).join(" ")],
    ["one letter a hundred times", "e ".repeat(5_000)],
    [
      "pairs of letters",
      Array.from({ length: 60 }, (_, at) => `${letters[at % 22]}${letters[(at * 7) % 22]}`).join(" "),
    ],
    ["what a pattern would mean", "(((( .*.* ++++ [[[[ \\\\ ".repeat(9)],
  ])("holds nobody up, whatever is asked: %s", (_, query) => {
    expect(cheapest(query)).toBeLessThan(20);
  });

  it("takes a word as often as it is written for one, and the first ten of more", () => {
    expect(index.find("webhook webhook webhook")).toEqual(index.find("webhook"));
    const ten = "a e i o u s t n r d";
    expect(index.find(`${ten} zzzz`)).toEqual(index.find(ten));
  });

  it("finds words of a heading first, whatever stands between them", () => {
    expect(index.find("secret rotate")[0]?.path).toBe("/reference/rotateSecret");
    expect(index.find("reference.search")[0]?.path).toBe("/docs/rules/reference#reference.search");
  });
});
