import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { option } from "../../testkit/document-parts.ts";
import { shuffled } from "./shuffled.ts";

const options = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 12 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) => fc.record({ last: fc.constantFrom("", "", "", "exclusive", "other"), id: fc.constant(id) })),
    ),
  )
  .map((drawn) => drawn.map(({ id, last }) => option(id, last === "" ? {} : { [last]: true })));

describe("shuffled options", () => {
  it("are all there, the same for a session, with the last ones last and in their order [player.shuffled]", () => {
    fc.assert(
      fc.property(options, fc.string(), (all, seed) => {
        const drawn = shuffled(all, seed);
        expect(shuffled(structuredClone(all), seed).map(({ option_id }) => option_id)).toEqual(
          drawn.map(({ option_id }) => option_id),
        );
        expect(new Set(drawn)).toEqual(new Set(all));
        expect(drawn).toHaveLength(all.length);
        const last = all.filter(({ exclusive, other }) => exclusive || other);
        expect(drawn.slice(all.length - last.length)).toEqual(last);
      }),
    );
  });

  it("keep their order when an option is added, whatever the document's [player.shuffled]", () => {
    const ids = ["a", "b", "c", "d"];
    const order = (of: string[]) =>
      shuffled(
        of.map((id) => option(id)),
        "sess_1",
      ).map(({ option_id }) => option_id);
    expect(order([...ids, "e"]).filter((id) => id !== "e")).toEqual(order(ids.toReversed()));
  });

  it("are in each order as often over many sessions [player.shuffled]", () => {
    const counts = new Map<string, number>();
    const three = ["a", "b", "c"].map((id) => option(id));
    for (let session = 0; session < 6_000; session += 1) {
      const order = shuffled(three, `sess_${session.toString(16).padStart(32, "0")} q`)
        .map(({ option_id }) => option_id)
        .join("");
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });
});
