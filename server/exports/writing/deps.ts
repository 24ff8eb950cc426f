import type { ProfileSearch } from "../../../contract/search.ts";
import type { CopyReader } from "../../columnar-copy/public.ts";
import type { Store } from "../../platform/caller.ts";
import type { Calendar } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deadline, ElapsedClock } from "../../platform/deadline.ts";
import type { FileStorage } from "../../platform/files/types.ts";
import type { RandomBytes } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import type { VersionCache } from "../../quizzes/public.ts";
import type { Pace } from "./pace.ts";

/** What building files takes. */
export interface BuildDeps {
  database: Database;
  calendar: Calendar;
  elapsed: ElapsedClock;
  random: RandomBytes;
  log: Log;
  facts: CopyReader;
  versions: VersionCache;
  storage: FileStorage;
  baseUrl: string;
  /** tests and benchmarks set others */
  limits?: Partial<BuildLimits>;
}

export interface BuildLimits {
  /** builds of this process at once */
  atOnce: number;
  /** real ms; an older snapshot keeps PostgreSQL from cleaning up after everybody else */
  snapshotMs: number;
  /** real ms for which a worker that is not heard of any more keeps its build */
  leaseMs: number;
  renewMs: number;
  /** rows of the store that are gone through between two pauses */
  pageRows: number;
  /** of these, so many are read and written at once: what lies in memory, and how long the process hears nobody else */
  batchRows: number;
}

export const usualLimits: BuildLimits = {
  atOnce: 2,
  snapshotMs: 600_000,
  leaseMs: 30_000,
  renewMs: 3_000,
  pageRows: 5_000,
  batchRows: 50,
};

/** How often a build is begun, before it counts as one that cannot be done [exports.failure]. */
export const claimsAtMost = 3;

/** An export that this process builds. */
export interface ClaimedExport {
  storeId: string;
  /** UUID */
  id: string;
  dataset: "profiles" | "responses" | "quiz_analytics";
  format: "csv" | "json";
  filters: StoredFilters;
  /** false: they are left out */
  contacts: boolean | null;
  /** 1 for the first */
  claim: number;
  /** UUID; whoever holds another one has lost the build */
  lease: string;
  /** what the file says holds at this moment */
  startedAt: Date;
}

/** As they are answered. */
export interface StoredFilters {
  /** days in `tz`, both included */
  from: string | null;
  to: string | null;
  /** public id */
  quiz_id: string | null;
  search: ProfileSearch | null;
  tz: string | null;
}

/** What every dataset is read with. */
export interface BuildContext {
  deps: BuildDeps;
  limits: BuildLimits;
  claimed: ClaimedExport;
  store: Store;
  deadline: Deadline;
  pace: Pace;
}
