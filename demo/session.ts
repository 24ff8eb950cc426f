import type { ReportedSession, ShopperEvent } from "../contract/storefront.ts";
import type { Persona } from "./personas.ts";
import type { Random } from "./random.ts";
import { pickVisit } from "./visits.ts";
import type { Ending, Walk } from "./walk.ts";

/** Events that leave the browser together; `sentAt` in Unix milliseconds, never before the time of any of them. */
export interface ShopperBatch {
  sentAt: number;
  events: ShopperEvent[];
}

/** One session, ready to be posted batch by batch to `POST /storefront/v1/events` with `store` added. */
export interface ShopperSession {
  session: ReportedSession;
  userAgent: string;
  /** ISO 3166-1 alpha-2, as the shopper's address would show it; null: unknown */
  country: string | null;
  batches: ShopperBatch[];
  ending: Ending;
}

const maxBatch = 8;

/** Batches as a browser sends them: a few seconds after the first waiting event, or when eight are waiting. */
function inBatches(random: Random, { events, reloads }: Pick<Walk, "events" | "reloads">): ShopperBatch[] {
  const batches: ShopperBatch[] = [];
  let open: ShopperBatch | null = null;
  for (const [index, event] of events.entries()) {
    const at = Date.parse(event.at);
    const last = batches.at(-1);
    if (last && reloads.includes(index)) {
      // A reload sends what is waiting, and repeats the last batch, which was not known to have arrived.
      last.sentAt = Math.min(last.sentAt, at - 1000);
      batches.push({ sentAt: at - 500, events: last.events });
    }
    if (!open || at > open.sentAt || open.events.length === maxBatch || reloads.includes(index)) {
      open = { sentAt: at + random.int(1500, 6000), events: [] };
      batches.push(open);
    }
    open.events.push(event);
    const goes = event.type === "quiz_closed" || event.type === "quiz_finished" || event.type === "quiz_restarted";
    if (goes || open.events.length === maxBatch) open.sentAt = at + random.int(5, 60);
  }
  return batches;
}

export interface SessionParts {
  id: string;
  visitorId: string;
  quizId: string;
  versionId: string;
  persona: Persona;
  walk: Walk;
  opensAt: number;
}

/** Combines a walk with the circumstances of its visit. */
export function sessionOf(random: Random, parts: SessionParts): ShopperSession {
  const { persona, walk } = parts;
  const { clientHints, userAgent } = persona.device;
  return {
    session: {
      id: parts.id,
      visitor_id: parts.visitorId,
      quiz_id: parts.quizId,
      version_id: parts.versionId,
      ...pickVisit(random, parts.opensAt),
      preview: false,
      ...(clientHints && { client_hints: clientHints }),
    },
    userAgent,
    country: persona.place.country,
    batches: inBatches(random, walk),
    ending: walk.ending,
  };
}
