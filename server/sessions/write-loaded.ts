import type { Statement, StoreTransaction } from "../platform/database/sql.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { OutboxEvent } from "../platform/outbox.ts";
import type { StoreChange } from "../stores/public.ts";
import { dueAt, lazilyDue, reachedEvents } from "./due.ts";
import { attributesOf, type LoadedSession, stateOf } from "./loaded-session.ts";
import { type FirstSessions, type Opening, updateReturning } from "./returning.ts";
import { type NewEvent, type NewSession, type ReducedColumns, reducedColumns, writingStatements } from "./rows.ts";

/**
 * Prepares the statements that write sessions with their new events, the resulting changes, and the events for the
 * outbox.
 */
export async function prepareWriting(
  tx: StoreTransaction,
  touched: readonly LoadedSession[],
  { now, random, numbered, first }: { now: number; random: RandomBytes; numbered: number; first: FirstSessions },
): Promise<{ statements: Statement[]; changes: StoreChange[]; events: OutboxEvent[] }> {
  const openings = touched.map(openingOf);
  const flipped = await updateReturning(tx, openings, first);
  const events: NewEvent[] = [];
  const opened: NewSession[] = [];
  const changed: ReducedColumns[] = [];
  const announced: OutboxEvent[] = [];
  for (const [index, session] of touched.entries()) {
    const { id, row, attributes, version, fresh, rows } = session;
    const state = stateOf(session);
    events.push(...rows);
    const { quiz_id: quizId, preview, emits } = attributesOf(session);
    const announcing = { id, quizId, preview, emits, emitted: row?.emitted ?? [] };
    const reached = reachedEvents(state, announcing, { now, random });
    announced.push(...reached);
    const emitted = [...announcing.emitted, ...reached.map((event) => event.topic)];
    const due = lazilyDue(dueAt(state, { ...announcing, emitted }), row?.due_at ?? null);
    const isReturning = openings[index]?.isReturning ?? false;
    const reduced = reducedColumns(id, version.quiz, state, { isReturning, emitted, due });
    if (row !== null) changed.push(reduced);
    else if (attributes !== null) {
      // only the previous release reads it
      const first_received_at = fresh[0]?.at ?? reduced.opened_at;
      opened.push({ ...attributes, ...reduced, number: numbered + opened.length + 1, first_received_at });
    }
  }
  const statements = await writingStatements(now, { events, opened, changed });
  const changes = [...touched.map(({ id }) => id), ...flipped].map((id) => ({ kind: "session" as const, id }));
  return { statements, changes, events: announced };
}

function openingOf(session: LoadedSession): Opening {
  const { id, row } = session;
  const { visitor_id: visitorId, preview } = attributesOf(session);
  const openedAt = stateOf(session).opened_at;
  const isReturning = row?.is_returning ?? false;
  return { id, visitorId, openedAt, preview, isReturning, moved: row?.opened_at !== openedAt };
}
