import type { TimelineEntry } from "../api/generated.ts";

/** Describes timeline entries in words. */

export interface EntryWords {
  title: string;
  /** details, one per line */
  lines: string[];
}

const causes: Record<string, string> = {
  skip: "after skipping",
  back: "by going back",
  restart: "by starting over",
};

const productTitle = ({ title, variant_title, quantity }: TimelineEntry["products"][number]): string => {
  const name = [title ?? "A product that is not in the catalog", variant_title].filter(Boolean).join(", ");
  return quantity !== null && quantity > 1 ? `${quantity} × ${name}` : name;
};

export function entryWords(entry: TimelineEntry): EntryWords {
  const { kind, quiz_name, page_title, page_key, question, values, erased, cause, order } = entry;
  const products = entry.products.map(productTitle);
  switch (kind) {
    case "opened":
      return { title: `Opened ${quiz_name ?? "a quiz"}`, lines: [] };
    case "page": {
      const how = cause === null ? undefined : causes[cause];
      return { title: `Saw ${page_title || page_key || "a page"}${how === undefined ? "" : `, ${how}`}`, lines: [] };
    }
    case "answered":
      return { title: question || "Answered", lines: answerLines(values, erased) };
    case "shown":
      return { title: counted(products, "Was shown a product", "Was shown %n products"), lines: products };
    case "added":
      return {
        title: counted(products, "Added a product to the cart", "Added %n products to the cart"),
        lines: products,
      };
    case "finished":
      return { title: `Finished ${quiz_name ?? "the quiz"}`, lines: [] };
    case "left":
      return { title: `Left ${quiz_name ?? "the quiz"}`, lines: page_title ? [`on ${page_title}`] : [] };
    case "order":
      return { title: `Ordered${order?.order_name ? ` (${order.order_name})` : ""}`, lines: products };
  }
}

function answerLines(values: string[] | null, erased: boolean): string[] {
  if (erased) return ["The answer was erased"];
  return values === null || values.length === 0 ? ["Cleared the answer"] : values;
}

const counted = (list: readonly unknown[], one: string, many: string): string =>
  list.length === 1 ? one : many.replace("%n", String(list.length));

export interface TimelineVisit {
  /** the session's id, or for an order its own */
  key: string;
  /** newest first, as the API sends them */
  entries: TimelineEntry[];
}

/** Groups consecutive entries of one session into a visit; orders come between visits. */
export function visitsOf(entries: readonly TimelineEntry[]): TimelineVisit[] {
  const visits: TimelineVisit[] = [];
  for (const entry of entries) {
    const last = visits.at(-1);
    const session = entry.kind === "order" ? null : entry.session_id;
    const same = last?.entries[0]?.kind === "order" ? null : (last?.entries[0]?.session_id ?? null);
    if (last !== undefined && session !== null && session === same) last.entries.push(entry);
    else visits.push({ key: entry.id, entries: [entry] });
  }
  return visits;
}
