import type { ShopperEvent } from "../../contract/storefront.ts";
import { toJson } from "../json.ts";
import { titleOf } from "../problem.ts";
import type { StoredSession } from "./types.ts";

/** The contents of a request to the server, and the meaning of its response. */

export const mostEvents = 100;
/** Browsers limit the requests that outlive their page to 64 KiB in total. */
const mostBytes = 50_000;

export interface Batch {
  body: string;
  bytes: number;
  ids: ReadonlySet<string>;
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** The first events of a session that fit, at least one and at most `most`, except those in `without` [player.batches]. */
export function batchOf(
  { store, session, events }: StoredSession,
  now: number,
  without: ReadonlySet<string>,
  most: number,
): Batch | null {
  const open = events.filter(({ id }) => !without.has(id)).slice(0, most);
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
  /**
   * try again later; `wait`: ms that the answer asks for; `isForeign`: a proxy or firewall refused it, perhaps on account
   * of a single event or the size
   */
  | { kind: "away"; reason: string | null; wait: number; isForeign: boolean };

/** Only the server's own acceptance or problem settles events [player.proxies]. */
export async function verdictOf(answer: Response, now: number): Promise<Verdict> {
  const { status, headers } = answer;
  const body: unknown = await answer.json().catch(() => null);
  const { rejected } = Object(body);
  if (status === 202 && isList(rejected)) return { kind: "done", reasons: rejected.map(({ reason }) => reason) };
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  const title = titleOf(body);
  if (isRefusal && title) return { kind: "done", reasons: [title] };
  const after = headers.get("retry-after") ?? "";
  // seconds, or a date
  const wait = Number(after) * 1000 || Date.parse(after) - now || 0;
  return { kind: "away", reason: title ?? `${status}`, wait: Math.max(0, wait), isForeign: isRefusal };
}

const isList = (value: unknown): value is { reason: string }[] => Array.isArray(value);
