import type { Transaction } from "../platform/database/sql.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { OutboxEvent } from "../platform/outbox.ts";
import type { StoreChange } from "../stores/public.ts";
import { type Announcing, dueAt, lazilyDue, reachedEvents } from "./due.ts";
import { dataOf } from "./fold.ts";
import { type Opening, settleReturning } from "./returning.ts";
import {
  eventUuid,
  type NewEvent,
  type NewSession,
  type ReducedColumns,
  reducedColumns,
  writeSessions,
} from "./rows.ts";
import { isPreview, stateOf, type Visit } from "./take.ts";

/** Writes the sessions and their new events, and answers what changed and what goes into the outbox. */
export async function storeVisits(
  tx: Transaction,
  storeId: string,
  touched: readonly Visit[],
  { now, random, numbered }: { now: number; random: RandomBytes; numbered: number },
): Promise<{ changes: StoreChange[]; events: OutboxEvent[] }> {
  const openings = touched.map(openingOf);
  const flipped = await settleReturning(tx, storeId, openings);
  const events: NewEvent[] = [];
  const opened: NewSession[] = [];
  const changed: ReducedColumns[] = [];
  const announced: OutboxEvent[] = [];
  for (const [index, visit] of touched.entries()) {
    const state = stateOf(visit);
    const { row, facts } = visit;
    for (const event of visit.fresh) events.push(newEvent(visit.id, event));
    const session = announcing(visit);
    const due = reachedEvents(state, session, { now, random });
    announced.push(...due);
    const emitted = [...session.emitted, ...due.map((event) => event.topic)];
    const dueTime = lazilyDue(dueAt(state, { ...session, emitted }), row?.due_at ?? null);
    const isReturning = openings[index]?.isReturning ?? false;
    const reduced = reducedColumns(visit.id, visit.version.quiz, state, { isReturning, emitted, due: dueTime });
    if (row !== null) changed.push(reduced);
    else if (facts !== null) {
      // nothing but the release before reads it
      const first_received_at = visit.fresh[0]?.at ?? reduced.opened_at;
      opened.push({ ...facts, ...reduced, number: numbered + opened.length + 1, first_received_at });
    }
  }
  await writeSessions(tx, storeId, now, { events, opened, changed });
  const changes = [...touched.map(({ id }) => id), ...flipped].map((id) => ({ kind: "session" as const, id }));
  return { changes, events: announced };
}

function openingOf(visit: Visit): Opening {
  const { row, facts } = visit;
  const openedAt = stateOf(visit).opened_at;
  return {
    id: visit.id,
    visitorId: (row ?? facts)?.visitor_id ?? "",
    openedAt,
    preview: isPreview(visit),
    isReturning: row?.is_returning ?? false,
    moved: row?.opened_at !== openedAt,
  };
}

function announcing(visit: Visit): Announcing {
  const { row, facts } = visit;
  const { quiz_id: quizId, preview, emits } = row ?? facts ?? { quiz_id: "", preview: true, emits: false };
  return { id: visit.id, quizId, preview, emits, emitted: row?.emitted ?? [] };
}

function newEvent(sessionId: string, stored: Visit["fresh"][number]): NewEvent {
  const { id, seq, at, type } = stored;
  return { session_id: sessionId, id: eventUuid(id), seq, at, type, data: dataOf(stored) };
}
