import { type ProfileSearch, type SearchExplanation, searchProfiles } from "../../../contract/search.ts";
import type { CopyReader } from "../../columnar-copy/public.ts";
import type { ConcurrencyLimiter } from "../../platform/concurrency/types.ts";
import { type CursorBinding, cutPage, type Place, readCursor } from "../../platform/cursors.ts";
import type { Deadline, Deadlines } from "../../platform/deadline.ts";
import { readRoute } from "../../platform/http/operations.ts";
import { LimiterUnavailable } from "../../platform/limiter/types.ts";
import { invalidFields, Problem, retryLater } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import type { VersionCache } from "../../quizzes/public.ts";
import { idsOf, readListed } from "../list.ts";
import { checkSearch } from "./check-search.ts";
import { cappedTotal, compileSearch, type SearchPage, type SearchRow } from "./compile.ts";
import { explainSearch } from "./explain.ts";
import { readNumbers } from "./numbers.ts";
import { StatementLimit } from "./statement-limit.ts";
import type { Search } from "./terms.ts";

/** concurrent searches per store, across processes [search.at-once] */
const searchesAtOnce = 15;
const statementMs = 10_000;

export interface SearchDeps {
  secrets: Secrets;
  versions: VersionCache;
  copies: CopyReader;
  limiter: ConcurrencyLimiter;
  deadlines: Deadlines;
  /** time limit of a statement in ms; 10 s except in tests */
  statementMs?: number;
}

/** POST /v1/profiles/search: searches the columnar copy and shows people from the database [search.fresh]. */
export const searchProfilesRoute = (deps: SearchDeps) =>
  readRoute(searchProfiles, async ({ caller, query, body, deadline }, db) => {
    const { store } = caller;
    const { cursor, limit = 20, explain = false } = query;
    const checked = await checkSearch(db, deps.versions, body, "body");
    if ("errors" in checked) throw invalidFields(checked.errors);
    const { search } = checked;
    const binding: CursorBinding = { storeId: store.id, route: searchProfiles.id, filters: canonical(body) };
    const after = cursor === undefined ? null : readCursor(deps.secrets, binding, cursor);
    const { rows, explained } = await withPermit(deps.limiter, store.id, deadline, () =>
      ask(deps, store.id, deadline, body, search, { after, limit: limit + 1, explain }),
    );
    const [{ total, returning_total } = { total: 0, returning_total: 0 }] = rows;
    const places = rows.flatMap(({ id, last_seen: at, newest }): Place[] =>
      id === null || at === null ? [] : [{ id, at, upTo: after?.upTo ?? newest ?? 0 }],
    );
    const { rows: shown, ...page } = cutPage<Place>(places, limit, deps.secrets, binding, (place) => place);
    return {
      data: await readListed(db, idsOf(shown)),
      ...page,
      ...cappedTotal(total),
      returning_total,
      ...(explained === null ? {} : { explain: explained }),
    };
  });

async function withPermit<Result>(
  limiter: ConcurrencyLimiter,
  storeId: string,
  deadline: Deadline,
  work: () => Promise<Result>,
): Promise<Result> {
  const permit = await limiter.acquire(`search:${storeId}`, searchesAtOnce, deadline).catch((error: unknown) => {
    if (!(error instanceof LimiterUnavailable)) throw error;
    throw retryLater("limiter_unavailable", error.retryAfterSeconds, error);
  });
  if (permit === null) {
    throw new Problem("rate_limited", {
      detail: `The store runs ${searchesAtOnce} searches at the moment, as many as it may; wait a second`,
      extra: { retry_after: 1 },
    });
  }
  try {
    return await work();
  } finally {
    permit.release();
  }
}

async function ask(
  deps: SearchDeps,
  storeId: string,
  deadline: Deadline,
  body: ProfileSearch,
  search: Search,
  { explain, ...page }: SearchPage & { explain: boolean },
): Promise<{ rows: SearchRow[]; explained: SearchExplanation | null }> {
  const limit = new StatementLimit(deadline, deps.deadlines);
  try {
    const { result } = await deps.copies.read(
      storeId,
      async (put) => {
        const numbers = await readNumbers(put, search);
        limit.begin(deps.statementMs ?? statementMs);
        const rows = await put(compileSearch(search, numbers, page));
        return { rows, explained: explain ? await explainSearch(put, search, numbers) : null };
      },
      limit,
    );
    return result;
  } catch (error) {
    if (limit.reached && error instanceof Problem && error.title === "timeout") throw ranTooLong(body, error);
    throw error;
  } finally {
    limit.end();
  }
}

/** Offers an export of the same people, which has no such limit [search.time-limit]. */
const ranTooLong = (body: ProfileSearch, cause: Problem): Problem =>
  new Problem("validation_error", {
    detail: "The search ran past 10 seconds; narrow it, or request the same people as an export",
    extra: {
      errors: [{ field: "body", message: "matches too many people to be searched in time" }],
      export: { dataset: "profiles", search: body },
    },
    cause: cause.cause ?? cause,
  });

/**
 * Sorts the fields, so that a cursor stays valid if the client serializes the same search differently [search.pages].
 */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, canonical(inner)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
