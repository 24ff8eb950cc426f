import { impossible, valued } from "../../engine/kinds/value.ts";
import { contactIdentity } from "../platform/contacts.ts";
import { ownStore, raw, type Statement, type StoreRunner, sql } from "../platform/database/sql.ts";
import type { VersionCache } from "../quizzes/public.ts";
import { readAnswer } from "./check.ts";
import { copyText } from "./copy-text.ts";
import type { KeptEvent } from "./kept-event.ts";
import type { SessionState } from "./state.ts";

/**
 * Erases what people typed in sessions [erasure.answers, erasure.other-texts]: free text, also beside options, emails and
 * phones. Everything else stays.
 */

interface AnswersToErase {
  /**
   * UUIDs of the person's sessions: every free-text, email and phone answer is erased, including those replaced or
   * cleared later
   */
  sessionIds: readonly string[];
  /** single answers of other sessions, by the UUIDs of session and event */
  answers: readonly { sessionId: string; eventId: string }[];
  /**
   * what any session was opened with (address, placement, campaign, device) that is cleared: columns of `sessions`, and
   * fields of `device` (`device.model`)
   */
  openings: readonly { sessionId: string; columns: readonly string[] }[];
}

/** sessions read and written at once: one kiosk's address may have a hundred thousand */
const atOnce = 500;

/**
 * Erases the content of answers for good [erasure.counts]. Their events stay, marked `erased`, so that later reductions
 * count what was answered. The state loses the same answers but is not reduced again, since a page that was shown
 * because of an erased text must not vanish from the figures. Returns the number of erased answers.
 *
 * The caller's transaction holds the store's revision and records the sessions as changed.
 */
export async function eraseSessionAnswers(
  tx: StoreRunner,
  versions: VersionCache,
  erased: AnswersToErase,
): Promise<number> {
  let count = 0;
  for (const sessionIds of chunks(erased.sessionIds)) {
    const fates = await fatesOf(tx, versions, sql`e.session_id = ANY (${sessionIds}::uuid[])`);
    await writeEvents(tx, fates.contact, { erased: true, usable: true });
    await writeEvents(tx, fates.erase, { erased: true });
    await writeEvents(tx, fates.strip, {});
    count += await writeBoth(tx, versions, [...fates.contact, ...fates.erase], [...fates.strip, ...fates.beside]);
  }
  for (const answers of chunks(erased.answers)) {
    const ids = answers.map(({ eventId }) => eventId);
    const sessions = answers.map(({ sessionId }) => sessionId);
    const inThem = sql`e.session_id = ANY (${sessions}::uuid[]) AND e.id = ANY (${ids}::uuid[])`;
    const { beside } = await fatesOf(tx, versions, inThem);
    const isBeside = new Set(beside.map(({ eventId }) => eventId));
    const whole = answers.filter(({ eventId }) => !isBeside.has(eventId));
    await writeEvents(tx, whole, { erased: true, usable: true });
    count += await writeBoth(tx, versions, whole, beside);
  }
  for (const openings of chunks(erased.openings)) await clearOpenings(tx, openings);
  return count;
}

/**
 * Erases whole answers from states, and texts beside options from events and states; returns how many answers lost
 * something.
 */
async function writeBoth(
  tx: StoreRunner,
  versions: VersionCache,
  whole: readonly EventKey[],
  beside: readonly EventKey[],
): Promise<number> {
  await tx.all(sql`
    UPDATE session_events e SET data = e.data - 'other_text' FROM ${keysOf(beside)} AS k (session_id, id)
    WHERE e.store_id = ${ownStore} AND e.session_id = k.session_id AND e.id = k.id AND e.data ? 'other_text'`);
  await writeStates(tx, versions, whole, "whole");
  await writeStates(tx, versions, beside, "beside");
  return whole.length + beside.length;
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

type Fate = "contact" | "erase" | "strip" | "beside" | "keep";

/** What becomes of each answer that meets a condition on `session_events` as `e`. */
async function fatesOf(
  tx: StoreRunner,
  versions: VersionCache,
  condition: Statement<unknown>,
): Promise<Record<Fate, EventKey[]>> {
  const fates: Record<Fate, EventKey[]> = { contact: [], erase: [], strip: [], beside: [], keep: [] };
  for (const row of await readAnswers(tx, condition)) {
    fates[await fateOf(tx, versions, row)].push({ sessionId: row.session_id, eventId: row.id });
  }
  return fates;
}

const readAnswers = (tx: StoreRunner, condition: Statement<unknown>): Promise<AnswerRow[]> =>
  tx.all(sql<AnswerRow>`
    SELECT e.session_id, e.id, e.seq, e.data, s.version_id, s.country
    FROM session_events e JOIN sessions s ON s.store_id = ${ownStore} AND s.id = e.session_id
    WHERE e.store_id = ${ownStore} AND ${condition} AND e.type = 'answer_saved'
      AND NOT e.data ? 'erased'`);

/**
 * `contact`: an email or phone that was somebody's identity; `strip`: a text that the answer does not need and that is
 * never shown, such as one sent along with chosen options; `beside`: what was written beside an option.
 */
async function fateOf(
  tx: StoreRunner,
  versions: VersionCache,
  { data, id, seq, version_id, country }: AnswerRow,
): Promise<Fate> {
  const version = await versions.existing(tx, version_id);
  const event = { ...data, id: `evt_${id}`, seq, at: "", time: 0, type: "answer_saved" } as KeptEvent;
  if (event.type !== "answer_saved") return "keep";
  const hasText = typeof event.value === "string" && event.value !== "";
  const rest = event.other_text ? "beside" : "keep";
  const answer = readAnswer(version.quiz, event, true);
  if (typeof answer === "string" || answer.value === null) return hasText ? "strip" : rest;
  const asked = valued(answer.question.component);
  switch (asked.value) {
    case "contact": {
      const typed = "value" in answer.value ? String(answer.value.value) : "";
      return contactIdentity(asked.component.kind, typed, country) === null ? "erase" : "contact";
    }
    case "text":
      return "erase";
    case "options":
    case "number":
    case "date":
      return hasText && "option_ids" in answer.value ? "strip" : rest;
    default:
      return impossible(asked);
  }
}

/** A text that was not an answer is replaced by a cleared answer, as which it counted. */
async function writeEvents(
  tx: StoreRunner,
  events: readonly EventKey[],
  mark: { erased?: true; usable?: true },
): Promise<void> {
  if (events.length === 0) return;
  const gone = mark.erased ? "(e.data - 'value' - 'option_ids' - 'other_text')" : "(e.data - 'value' - 'other_text')";
  const left = mark.erased
    ? `'${JSON.stringify(mark)}'::jsonb`
    : `(CASE WHEN e.data ? 'option_ids' THEN '{}' ELSE '{"value": null}' END)::jsonb`;
  await tx.all(sql`
    UPDATE session_events e SET data = ${raw(gone)} || ${raw(left)} FROM ${keysOf(events)} AS k (session_id, id)
    WHERE e.store_id = ${ownStore} AND e.session_id = k.session_id AND e.id = k.id`);
}

/** The UUIDs of sessions and events, as rows. */
const keysOf = (events: readonly EventKey[]) =>
  sql`unnest(${events.map(({ sessionId }) => sessionId)}::uuid[], ${events.map(({ eventId }) => eventId)}::uuid[])`;

// Without its fold, the session is reduced from all its events when another one arrives: an erased answer still counts.
const without = (part: "answers" | "contacts") =>
  raw(`jsonb_path_query_array(s.state, '$.${part}[*] ? (!(@.event_id == $gone[*]))', k.vars)`);

interface StateRow {
  id: string;
  version_id: string;
  state: SessionState;
}

const withoutTexts = raw(`(SELECT coalesce(jsonb_agg(
    CASE WHEN k.vars -> 'gone' ? (a.value ->> 'event_id') THEN a.value - 'other_text' ELSE a.value END ORDER BY a.place),
    '[]') FROM jsonb_array_elements(s.state -> 'answers') WITH ORDINALITY AS a (value, place))`);

/** @param part of the answers: `beside` is only what was written beside options */
async function writeStates(
  tx: StoreRunner,
  versions: VersionCache,
  events: readonly EventKey[],
  part: "whole" | "beside",
): Promise<void> {
  if (events.length === 0) return;
  const left = await tx.all(sql<StateRow>`
    UPDATE sessions s
    SET state = jsonb_set(jsonb_set(s.state - 'fold', '{answers}', ${part === "whole" ? without("answers") : withoutTexts}),
      '{contacts}', ${without("contacts")})
    FROM (
      SELECT e.session_id, jsonb_build_object('gone', jsonb_agg('evt_' || e.id)) AS vars
      FROM ${keysOf(events)} AS e (session_id, id) GROUP BY e.session_id
    ) k
    WHERE s.store_id = ${ownStore} AND s.id = k.session_id RETURNING s.id, s.version_id, s.state`);
  const rows = [];
  for (const { id, version_id, state } of left) {
    const version = await versions.existing(tx, version_id);
    rows.push({ id, ...copyText(version.quiz, state) });
  }
  await tx.all(sql`
    UPDATE sessions s SET facts = f.facts, texts = f.texts
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS f (id uuid, facts text, texts text)
    WHERE s.store_id = ${ownStore} AND s.id = f.id`);
}

/** Every session has a channel; what is not one of the shop's counts as this, as at the intake. */
const otherChannel = "other";

async function clearOpenings(tx: StoreRunner, openings: AnswersToErase["openings"]): Promise<void> {
  const byColumn = Map.groupBy(
    openings.flatMap(({ sessionId, columns }) => columns.map((column) => ({ sessionId, column }))),
    ({ column }) => column,
  );
  for (const [column, sessions] of byColumn) {
    const [name = "", field] = column.split(".");
    const cleared =
      field === undefined
        ? sql`${raw(name)} = ${name === "channel" ? otherChannel : null}`
        : sql`${raw(name)} = ${raw(name)} || ${JSON.stringify({ [field]: null })}::jsonb`;
    await tx.all(sql`
    UPDATE sessions SET ${cleared}
    WHERE store_id = ${ownStore} AND id = ANY (${sessions.map(({ sessionId }) => sessionId)}::uuid[])`);
  }
}

function chunks<Item>(items: readonly Item[]): Item[][] {
  const parts: Item[][] = [];
  for (let at = 0; at < items.length; at += atOnce) parts.push(items.slice(at, at + atOnce));
  return parts;
}
