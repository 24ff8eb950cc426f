import fc from "fast-check";
import { expect, it } from "vitest";
import { storedJson } from "./stored-json.ts";

const texts = fc.string({
  unit: fc.constantFrom("\ud83d", "\ude00", "\\", "u", "d", "8", "0", '"', "é"),
  maxLength: 12,
});

it("replaces unpaired surrogates in texts and names, and nothing else [api.texts]", () => {
  fc.assert(
    fc.property(texts, texts, (name, text) => {
      const given = { [name]: [text, { text }] };
      const expected = { [name.toWellFormed()]: [text.toWellFormed(), { text: text.toWellFormed() }] };
      expect(JSON.parse(storedJson(given))).toEqual(expected);
      expect(storedJson(given).isWellFormed()).toBe(true);
    }),
  );
});
