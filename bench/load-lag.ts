/**
 * What `serve` reports about its copies in /metrics: how far behind they were when queried, and how long it took to
 * catch up.
 */

interface Buckets {
  count: number;
  sum: number;
  /** upper bound, and the number of values at or below it, ascending */
  steps: { upTo: number; within: number }[];
}

/** A histogram's buckets by the value of one of its labels; "" if it has none. */
function bucketsOf(text: string, name: string, label: string | null): Map<string, Buckets> {
  const found = new Map<string, Buckets>();
  for (const line of text.split("\n")) {
    const [, part, labels = "", value] =
      new RegExp(`^${name}_(bucket|sum|count)(?:\\{(.*)\\})? (\\S+)`).exec(line) ?? [];
    if (part === undefined) continue;
    const of = label === null ? "" : (new RegExp(`${label}="([^"]*)"`).exec(labels)?.[1] ?? "");
    const buckets = found.get(of) ?? { count: 0, sum: 0, steps: [] };
    found.set(of, buckets);
    if (part === "count") buckets.count = Number(value);
    else if (part === "sum") buckets.sum = Number(value);
    else {
      const upTo = /le="([^"]*)"/.exec(labels)?.[1] ?? "";
      buckets.steps.push({ upTo: upTo === "+Inf" ? Number.POSITIVE_INFINITY : Number(upTo), within: Number(value) });
    }
  }
  return found;
}

const atMost = ({ count, steps }: Buckets, share: number): number =>
  steps.toSorted((a, b) => a.upTo - b.upTo).find(({ within }) => within >= count * share)?.upTo ?? Number.NaN;

/** @param metricsUrl of the process that answers analytics questions */
export async function describeLag(metricsUrl: string): Promise<string[]> {
  const text = await (await fetch(metricsUrl)).text();
  const behind = bucketsOf(text, "quizstore_facts_revisions_behind", null).get("");
  const syncs = bucketsOf(text, "quizstore_facts_sync_seconds", "step");
  const lines = behind
    ? [`copies lacked p50 <= ${atMost(behind, 0.5)}, p95 <= ${atMost(behind, 0.95)} revisions when they were asked`]
    : [];
  for (const [step, buckets] of syncs) {
    const mean = ((buckets.sum / Math.max(1, buckets.count)) * 1_000).toFixed(0);
    lines.push(
      `brought up to date (${step}): ${buckets.count} times, mean ${mean} ms, p95 <= ${atMost(buckets, 0.95)} s`,
    );
  }
  const loads = text.split("\n").flatMap((line) => {
    const [, reason, count] = /^quizstore_facts_loads_total\{reason="([^"]*)"\} (\S+)/.exec(line) ?? [];
    return reason === undefined ? [] : [`${reason} ${count}`];
  });
  if (loads.length > 0) lines.push(`loaded from the beginning: ${loads.join(", ")}`);
  return lines;
}
