import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { eventId } from "../../testkit/histories.ts";
import { heldBytes } from "../platform/held-bytes.ts";
import { readEvent, readSession } from "./events.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const at = "2026-01-01T00:00:00.000Z";
const shown = (products: object[]) => ({
  ...{ id: eventId(1), seq: 1, at, type: "products_shown", page_key: "p", block_key: "b", products },
});
const times = <Value>(count: number, value: (index: number) => Value) =>
  Array.from({ length: count }, (_, i) => value(i));

describe("what a waiting request holds [storefront.memory]", () => {
  const kinds: [string, () => object][] = [
    ["a usual event", () => ({ id: eventId(1), seq: 1, at, type: "page_entered", page_key: "taste", cause: "next" })],
    ["tiny products", () => shown(times(250, () => ({ product_id: "1" })))],
    [
      "full products",
      () => shown(times(250, (i) => ({ product_id: `p${i}`, variant_id: "v", position: i, source: "x" }))),
    ],
    [
      "hidden pages",
      () => ({
        ...{ id: eventId(1), seq: 1, at, type: "page_entered", page_key: "p", cause: "next" },
        hidden_page_keys: times(500, (i) => `${i}x`),
      }),
    ],
    ["a long text", () => ({ ...shown([]), type: "answer_saved", component_key: "c", value: "x".repeat(10_000) })],
  ];

  it.for(kinds)("is counted as what it takes of memory, half of it at least: %s", ([, event]) => {
    const text = JSON.stringify(event());
    const count = Math.ceil(4_000_000 / text.length);
    const kept: unknown[] = times(count, () => null);
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < count; index += 1) kept[index] = readEvent(JSON.parse(text));
    collect();
    const share = heldBytes(kept) / (process.memoryUsage().heapUsed - before);
    // megabytes that somebody still referred to would be freed while the next kind is measured
    kept.length = 0;
    expect(share).toBeGreaterThan(0.5);
    expect(share).toBeLessThan(6);
  });

  it("has of a session and its client hints the fields that it knows, and no other", () => {
    const session = {
      ...{
        id: "sess_1",
        visitor_id: "vis_1",
        quiz_id: "quiz_1",
        version_id: "ver_1",
        channel: "web",
        placement: "popup",
      },
      utm: { source: "mail", more: "x".repeat(1_000) },
      client_hints: { platform: "Android", mobile: true, more: "x".repeat(1_000) },
      more: times(1_000, () => []),
    };
    const { more: _, ...known } = session;
    expect(readSession(session)).toEqual({
      ...known,
      ...{ page_url: null, referrer: null, preview: null },
      utm: { source: "mail" },
      client_hints: { platform: "Android", mobile: true },
    });
  });
});
