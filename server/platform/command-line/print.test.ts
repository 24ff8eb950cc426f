import { expect, it } from "vitest";
import { hostileStrings } from "../../../testkit/hostile-strings.ts";
import { forPeople, onOneLine } from "./print.ts";

/** What ends a line somewhere, or tells a terminal to do something. */
const commanding = /[\p{Cc}\p{Zl}\p{Zp}]/u;

it("prints a row on a line, whatever its texts hold [command-line.output]", () => {
  for (const text of hostileStrings) {
    const one = forPeople({ name: text, names: [text, text], inner: { text } }).split("\n");
    expect([text.slice(0, 20), one.length]).toEqual([text.slice(0, 20), 4]);
    const rows = forPeople([{ name: text }, { name: "last" }]).split("\n");
    expect([text.slice(0, 20), rows.length, rows[2]]).toEqual([text.slice(0, 20), 4, "last"]);
    expect([...one, ...rows].filter((line) => commanding.test(line))).toEqual([]);
  }
});

it("leaves other characters of a text as they are, and words apart", () => {
  expect(onOneLine("a \r\n  b\u0000c\u001b[2Jd\u2028e\u0085f")).toBe("a b c [2Jd e f");
  expect(onOneLine("  Été, \u{1f600} -  x ")).toBe("  Été, \u{1f600} -  x ");
});
