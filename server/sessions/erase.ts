import { ownStore, raw, sql, type Transaction } from "../platform/database/sql.ts";
import type { VersionCache } from "../quizzes/public.ts";
import { readAnswer } from "./check.ts";
import { normaliseContact } from "./contacts.ts";
import { copyText } from "./copy-text.ts";
import type { SessionState, StoredEvent } from "./state.ts";

/** Erases what people wrote in sessions [erasure.answers]: free text, emails and phones. Everything else stays. */

interface AnswersToErase {
  /** UUIDs: every free-text, email and phone answer of theirs goes, those overtaken or cleared since included */
  sessionIds: readonly string[];
  /** single answers of other sessions, by the UUIDs of session and event */
  answers: readonly { sessionId: string; eventId: string }[];
  /** in lower case: what a session was opened with (its address, placement, campaign) goes where it contains one */
  texts: readonly string[];
  /** UUIDs of the sessions to look into for them, besides the above */
  openedWith: readonly string[];
}

/** sessions read and written at once: a kiosk's address may have a hundred thousand */
const atOnce = 500;

/**
 * Erases the content of answers for good. Their events stay, marked `erased`, so that later reductions count what was
 * answered; the state is not reduced again but loses the same answers, since a page that was shown because of an erased
 * text must not vanish from the figures. Answers the sessions' number of erased answers.
 *
 * The caller's transaction holds the store's revision and records the sessions as changed.
 */
export async function eraseSessionAnswers(
  tx: Transaction,
  storeId: string,
  versions: VersionCache,
  erased: AnswersToErase,
): Promise<number> {
  let count = 0;
  for (const sessionIds of chunks(erased.sessionIds)) {
    const found = await readAnswers(tx, storeId, sessionIds);
    const fates = {
      contact: [] as EventKey[],
      erase: [] as EventKey[],
      strip: [] as EventKey[],
      keep: [] as EventKey[],
    };
    for (const row of found) {
      fates[await fateOf(tx, storeId, versions, row)].push({ sessionId: row.session_id, eventId: row.id });
    }
    await writeEvents(tx, storeId, fates.contact, { erased: true, usable: true });
    await writeEvents(tx, storeId, fates.erase, { erased: true });
    await writeEvents(tx, storeId, fates.strip, {});
    const personal = [...fates.contact, ...fates.erase];
    await writeStates(tx, storeId, versions, personal);
    count += personal.length;
  }
  for (const answers of chunks(erased.answers)) {
    await writeEvents(tx, storeId, answers, { erased: true, usable: true });
    await writeStates(tx, storeId, versions, answers);
    count += answers.length;
  }
  const opened = [...new Set([...erased.sessionIds, ...erased.openedWith])];
  for (const sessionIds of chunks(opened)) await clearOpenings(tx, storeId, sessionIds, erased.texts);
  return count;
}

interface EventKey {
  sessionId: string;
  eventId: string;
}

interface AnswerRow {
  session_id: string;
  id: string;
  version_id: string;
  country: string | null;
  seq: number;
  data: object;
}

const readAnswers = (tx: Transaction, storeId: string, sessionIds: readonly string[]): Promise<AnswerRow[]> =>
  tx.forStore(storeId).all(sql<AnswerRow>`SELECT e.session_id, e.id, e.seq, e.data, s.version_id, s.country
       FROM session_events e JOIN sessions s ON s.store_id = ${ownStore} AND s.id = e.session_id
       WHERE e.store_id = ${ownStore} AND e.session_id = ANY (${sessionIds}::uuid[]) AND e.type = 'answer_saved'
         AND NOT e.data ? 'erased'`);

/**
 * `contact`: an email or phone that was somebody's identity; `strip`: a text that the answer does not need and that
 * nothing shows, such as one beside chosen options.
 */
async function fateOf(
  tx: Transaction,
  storeId: string,
  versions: VersionCache,
  { data, id, seq, version_id, country }: AnswerRow,
): Promise<"contact" | "erase" | "strip" | "keep"> {
  const version = await versions.get(tx.forStore(storeId), version_id);
  if (version === null) throw new Error("a session's quiz version is gone");
  const event = { ...data, id: `evt_${id}`, seq, at: "", time: 0, type: "answer_saved" } as StoredEvent;
  if (event.type !== "answer_saved") return "keep";
  const hasText = typeof event.value === "string" && event.value !== "";
  const answer = readAnswer(version.quiz, event, true);
  if (typeof answer === "string" || answer.value === null) return hasText ? "strip" : "keep";
  const { kind } = answer.question.component;
  if (kind === "email" || kind === "phone") {
    const typed = "value" in answer.value ? String(answer.value.value) : "";
    return normaliseContact(kind, typed, country) === null ? "erase" : "contact";
  }
  if (kind === "text") return "erase";
  return hasText && "option_ids" in answer.value ? "strip" : "keep";
}

/** A text that was no answer is left as cleared, which it counted as. */
async function writeEvents(
  tx: Transaction,
  storeId: string,
  events: readonly EventKey[],
  mark: { erased?: true; usable?: true },
): Promise<void> {
  if (events.length === 0) return;
  const gone = mark.erased ? "(e.data - 'value' - 'option_ids')" : "(e.data - 'value')";
  const left = mark.erased
    ? `'${JSON.stringify(mark)}'::jsonb`
    : `(CASE WHEN e.data ? 'option_ids' THEN '{}' ELSE '{"value": null}' END)::jsonb`;
  await tx.forStore(storeId).all(sql`UPDATE session_events e SET data = ${raw(gone)} || ${raw(left)}
          FROM unnest(${events.map(({ sessionId }) => sessionId)}::uuid[], ${events.map(({ eventId }) => eventId)}::uuid[]) AS k (session_id, id)
          WHERE e.store_id = ${ownStore} AND e.session_id = k.session_id AND e.id = k.id`);
}

// Without its fold the session is worked out anew from its events when another one comes: an erased answer still
// counts.
const without = (part: "answers" | "contacts") =>
  `jsonb_path_query_array(s.state, '$.${part}[*] ? (!(@.event_id == $gone[*]))', k.vars)`;

interface StateRow {
  id: string;
  version_id: string;
  state: SessionState;
}

async function writeStates(
  tx: Transaction,
  storeId: string,
  versions: VersionCache,
  events: readonly EventKey[],
): Promise<void> {
  if (events.length === 0) return;
  const left = await tx.forStore(storeId).all(sql<StateRow>`UPDATE sessions s
          SET state = jsonb_set(jsonb_set(s.state - 'fold', '{answers}', ${raw(without("answers"))}),
            '{contacts}', ${raw(without("contacts"))})
          FROM (SELECT e.session_id, jsonb_build_object('gone', jsonb_agg('evt_' || e.id)) AS vars
            FROM unnest(${events.map(({ sessionId }) => sessionId)}::uuid[], ${events.map(({ eventId }) => eventId)}::uuid[]) AS e (session_id, id) GROUP BY e.session_id) k
          WHERE s.store_id = ${ownStore} AND s.id = k.session_id RETURNING s.id, s.version_id, s.state`);
  const rows = [];
  for (const { id, version_id, state } of left) {
    const version = await versions.get(tx.forStore(storeId), version_id);
    if (version === null) throw new Error("a session's quiz version is gone");
    rows.push({ id, ...copyText(version.quiz, state) });
  }
  await tx.forStore(storeId).all(sql`UPDATE sessions s SET facts = f.facts, texts = f.texts
          FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS f (id uuid, facts text, texts text)
          WHERE s.store_id = ${ownStore} AND s.id = f.id`);
}

/** What links to a shop carry along, and sometimes the address of whom they were sent to. */
const openingColumns = [
  "placement",
  "page_url",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_content",
  "utm_term",
] as const;

async function clearOpenings(
  tx: Transaction,
  storeId: string,
  sessionIds: readonly string[],
  texts: readonly string[],
): Promise<void> {
  if (texts.length === 0) return;
  const cleared = openingColumns.map(
    (column) => `${column} = CASE WHEN lower(s.${column}) LIKE ANY ($3::text[]) THEN NULL ELSE s.${column} END`,
  );
  await tx.all({
    sql: `UPDATE sessions s SET ${cleared.join(", ")} WHERE s.store_id = $1 AND s.id = ANY ($2::uuid[])
          AND (${openingColumns.map((column) => `lower(s.${column}) LIKE ANY ($3::text[])`).join(" OR ")})`,
    parameters: [storeId, sessionIds, texts.map(containing)],
  });
}

/** A LIKE pattern for texts that contain this one. */
const containing = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;

function chunks<Item>(items: readonly Item[]): Item[][] {
  const parts: Item[][] = [];
  for (let at = 0; at < items.length; at += atOnce) parts.push(items.slice(at, at + atOnce));
  return parts;
}
