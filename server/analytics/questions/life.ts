import type { OverviewAnswer } from "../../../contract/analytics-answers.ts";
import type { PublishMarker } from "../../../contract/analytics-shapes.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { isoTime } from "../../platform/clock.ts";
import { type StoreRunner, sql } from "../../platform/database/sql.ts";
import { dayIn } from "../../platform/time-zones.ts";
import { type Publish, publishesOf } from "../../quizzes/public.ts";
import { oldestImport } from "../../sessions/public.ts";
import type { DayRange, Selection } from "../selection.ts";
import { ofQuiz, type Scope } from "./scope.ts";

/**
 * Since when a quiz has data and since when it is live [figures.data-start, figures.live-since]. Filters do not apply,
 * since these are properties of the quiz.
 */

/** ms of the first session's opening; null if there is none */
export async function firstOpening(query: CopyQuery, scope: Scope): Promise<number | null> {
  const [row] = await query(
    sql<{ first: number | null }>`SELECT min(s.opened) AS first FROM sessions AS s WHERE ${ofQuiz(scope, "s")}`,
  );
  return row?.first ?? null;
}

/** The day of the first session in the range's time zone. */
export async function dataStart(query: CopyQuery, scope: Scope, { timezone }: DayRange): Promise<string | null> {
  const first = await firstOpening(query, scope);
  return first === null ? null : dayIn(first, timezone);
}

export type Life = Pick<OverviewAnswer, "data_start" | "live_since" | "live_since_approximate" | "markers">;

export async function readLife(query: CopyQuery, db: StoreRunner, selection: Selection, scope: Scope): Promise<Life> {
  const { quizId, range } = selection;
  const first = await firstOpening(query, scope);
  const data_start = first === null ? null : dayIn(first, range.timezone);
  if (quizId === null) return { data_start, live_since: null, live_since_approximate: false, markers: [] };
  const imported = await oldestImport(db, quizId);
  return { data_start, ...lifeOf(range, imported, await publishesOf(db, quizId)) };
}

/**
 * Live since the first publish. If an imported session is older than that, live since the oldest one's opening, which
 * gets a marker of its own. Only markers inside the range are returned, oldest first [figures.publish-markers].
 *
 * @param imported ms of the oldest imported session's opening; null if none was imported
 */
export function lifeOf(
  range: DayRange,
  imported: number | null,
  publishes: readonly Publish[],
): Omit<Life, "data_start"> {
  const published = publishes[0]?.at ?? null;
  const approximate = imported !== null && (published === null || imported < published);
  const since = approximate ? imported : published;
  const moments: { at: number; versionNumber: number | null }[] = [...publishes];
  if (approximate) moments.unshift({ at: imported, versionNumber: null });
  return {
    live_since: since === null ? null : isoTime(since),
    live_since_approximate: approximate,
    markers: moments.map((each) => marker(each, range)).filter(({ day }) => range.from <= day && day <= range.to),
  };
}

const marker = (
  { at, versionNumber }: { at: number; versionNumber: number | null },
  { timezone }: DayRange,
): PublishMarker => ({
  approximate: versionNumber === null,
  day: dayIn(at, timezone),
  published_at: isoTime(at),
  version_number: versionNumber,
});
