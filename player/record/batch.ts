import type { ShopperEvent } from "../../contract/storefront.ts";
import { toJson } from "../json.ts";
import type { StoredSession } from "./types.ts";

/** The contents of a request to the server, and the meaning of its response. */

const mostEvents = 100;
/** Browsers limit the requests that outlive their page to 64 KiB in total. */
const mostBytes = 50_000;

export interface Batch {
  body: string;
  bytes: number;
  ids: ReadonlySet<string>;
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** The first events of a session that fit, at least one, except those in `without` [player.batches]. */
export function batchOf(
  { store, session, events }: StoredSession,
  now: number,
  without: ReadonlySet<string>,
): Batch | null {
  const open = events.filter(({ id }) => !without.has(id)).slice(0, mostEvents);
  const frame = { store, sent_at: new Date(now).toISOString(), session };
  let bytes = bytesOf(toJson({ ...frame, events: [] }));
  const fitting: ShopperEvent[] = [];
  for (const event of open) {
    const more = bytesOf(toJson(event)) + 1;
    if (fitting.length > 0 && bytes + more > mostBytes) break;
    bytes += more;
    fitting.push(event);
  }
  if (fitting.length === 0) return null;
  return { body: toJson({ ...frame, events: fitting }), bytes, ids: new Set(fitting.map(({ id }) => id)) };
}

export type Verdict =
  /** the server accepted every event, knew it already, or refused it for good for one of these reasons */
  | { kind: "done"; reasons: (string | null)[] }
  /** try again later; `wait`: ms that the server asks for */
  | { kind: "away"; reason: string | null; wait: number };

export async function verdictOf(answer: Response, now: number): Promise<Verdict> {
  const { status } = answer;
  const body: unknown = await answer.json().catch(() => null);
  const { title, rejected } = Object(body);
  if (answer.ok && isList(rejected)) return { kind: "done", reasons: rejected.map(({ reason }) => reason) };
  const reason = typeof title === "string" ? title : String(status);
  const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  if (isFinal) return { kind: "done", reasons: [reason] };
  const after = answer.headers.get("retry-after") ?? "";
  // seconds, or a date
  const wait = Number(after) * 1000 || Date.parse(after) - now || 0;
  return { kind: "away", reason, wait: Math.max(0, wait) };
}

const isList = (value: unknown): value is { reason: string }[] => Array.isArray(value);
