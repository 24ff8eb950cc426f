import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort } from "node:worker_threads";
import { heldBytes } from "../server/platform/held-bytes.ts";
import { readEvent } from "../server/storefront/events.ts";
import { eventId } from "./histories.ts";

/**
 * A thread with its own heap, in which nothing else is allocated or freed than what is measured: the memory that
 * waiting events are estimated to take, as a share of what they really take. Posts pairs of a kind of event and its
 * share.
 */

export type HeldShare = [kind: string, share: number];

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const at = "2026-01-01T00:00:00.000Z";
const shown = (products: object[]) => ({
  ...{ id: eventId(1), seq: 1, at, type: "products_shown", page_key: "p", block_key: "b", products },
});
const times = <Value>(count: number, value: (index: number) => Value) =>
  Array.from({ length: count }, (_, i) => value(i));

const kinds: [string, object][] = [
  ["a usual event", { id: eventId(1), seq: 1, at, type: "page_entered", page_key: "taste", cause: "next" }],
  ["tiny products", shown(times(250, () => ({ product_id: "1" })))],
  ["full products", shown(times(250, (i) => ({ product_id: `p${i}`, variant_id: "v", position: i, source: "x" })))],
  [
    "hidden pages",
    {
      ...{ id: eventId(1), seq: 1, at, type: "page_entered", page_key: "p", cause: "next" },
      hidden_page_keys: times(500, (i) => `${i}x`),
    },
  ],
  ["a long text", { ...shown([]), type: "answer_saved", component_key: "c", value: "x".repeat(10_000) }],
];

/** Live bytes: some garbage is only freed by a second collection. */
function living(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 10; round += 1) {
    collect();
    const { heapUsed } = process.memoryUsage();
    if (heapUsed >= least) break;
    least = heapUsed;
  }
  return least;
}

function shareOf(event: object): number {
  const text = JSON.stringify(event);
  const count = Math.ceil(4_000_000 / text.length);
  const kept: unknown[] = times(count, () => null);
  const before = living();
  for (let index = 0; index < count; index += 1) kept[index] = readEvent(JSON.parse(text));
  return heldBytes(kept) / (living() - before);
}

const shares = kinds.map(([kind, event]): HeldShare => [kind, shareOf(event)]);
parentPort?.postMessage(shares);
