import { type ProfileSearch, type SearchExplanation, searchProfiles } from "../../../contract/search.ts";
import type { CopyQuery, CopyReader } from "../../columnar-copy/public.ts";
import type { ConcurrencyLimiter } from "../../platform/concurrency/types.ts";
import { type CursorBinding, cutPage, type Place, readCursor } from "../../platform/cursors.ts";
import type { StoreRunner } from "../../platform/database/sql.ts";
import type { Deadline, Deadlines } from "../../platform/deadline.ts";
import { readRoute } from "../../platform/http/operations.ts";
import { LimiterUnavailable } from "../../platform/limiter/types.ts";
import { invalidFields, Problem, retryLater } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import type { VersionCache } from "../../quizzes/public.ts";
import { listedAt } from "../list.ts";
import { type FoundList, nextFound } from "../walks.ts";
import { checkSearch } from "./check-search.ts";
import { cappedTotal, compileMatching, compilePage, compileSearch, placeOfRow, type SearchPage } from "./compile.ts";
import { explainSearch } from "./explain.ts";
import { type Numbers, readNumbers } from "./numbers.ts";
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
    const asked = { storeId: store.id, deadline, body, search };
    const { places, totals, explained } = await withPermit(deps.limiter, store.id, deadline, () =>
      find(deps, db, asked, { after, limit: limit + 1, explain }),
    );
    const page = cutPage<Place>(places, limit, deps.secrets, binding, (place) => place);
    return {
      ...(await listedAt(db, page)),
      ...cappedTotal(totals.total),
      returning_total: totals.returning_total,
      ...(explained === null ? {} : { explain: explained }),
    };
  });

interface Found {
  places: Place[];
  /** over all matches */
  totals: { total: number; returning_total: number };
  explained: SearchExplanation | null;
}

async function find(
  deps: SearchDeps,
  db: StoreRunner,
  asked: Asked,
  { after, limit, explain }: SearchPage & { explain: boolean },
): Promise<Found> {
  const { rows, explained } = await ask(deps, asked, async (put, numbers) => {
    const found = await put(compileSearch(asked.search, numbers, { after, limit }));
    return { rows: found, explained: explain ? await explainSearch(put, asked.search, numbers) : null };
  });
  const [totals = { total: 0, returning_total: 0 }] = rows;
  const first = rows.flatMap(({ id, last_seen, revision }): Place[] =>
    id === null || last_seen === null ? [] : [placeOfRow({ id, last_seen, revision }, after)],
  );
  const pageAfter = async (from: Place | null): Promise<Place[]> => {
    const page = await ask(deps, asked, (put, numbers) =>
      put(compilePage(asked.search, numbers, { after: from, limit })),
    );
    return page.map((row) => placeOfRow(row, from));
  };
  const list: FoundList = {
    page: async (from) => (from === after ? first : pageAfter(from)),
    matching: async (ids) => {
      const found = await ask(deps, asked, (put, numbers) => put(compileMatching(asked.search, numbers, ids)));
      return new Set(found.map(({ id }) => id));
    },
  };
  return { places: await nextFound(db, list, { after, limit }), totals, explained };
}

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

interface Asked {
  storeId: string;
  deadline: Deadline;
  body: ProfileSearch;
  search: Search;
}

async function ask<Result>(
  deps: SearchDeps,
  { storeId, deadline, body, search }: Asked,
  work: (put: CopyQuery, numbers: Numbers) => Promise<Result>,
): Promise<Result> {
  const limit = new StatementLimit(deadline, deps.deadlines);
  try {
    const { result } = await deps.copies.read(
      storeId,
      async (put) => {
        const numbers = await readNumbers(put, search);
        limit.begin(deps.statementMs ?? statementMs);
        return work(put, numbers);
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
