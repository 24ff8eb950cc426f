import type { CsvStyle, ExportFormat, ExportHeaders } from "../../../contract/exports.ts";
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

/** The dependencies of builds. */
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
  /** overridden by tests and benchmarks */
  limits?: Partial<BuildLimits>;
}

export interface BuildLimits {
  /** concurrent builds in this process */
  atOnce: number;
  /** real ms; an older snapshot keeps PostgreSQL from vacuuming for everyone */
  snapshotMs: number;
  /** real ms after which a silent worker loses its build */
  leaseMs: number;
  renewMs: number;
  /** rows of the store that are read between two pauses */
  pageRows: number;
  /** rows read and written at once; bounds memory and how long the event loop is blocked */
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

/** How often a build is started before it counts as failed for good [exports.failure]. */
export const claimsAtMost = 3;

/** An export that this process builds. */
export interface ClaimedExport {
  storeId: string;
  /** UUID */
  id: string;
  dataset: "profiles" | "responses" | "quiz_analytics";
  format: ExportFormat;
  csvStyle: CsvStyle;
  headers: ExportHeaders;
  filters: StoredFilters;
  /** false if contacts are left out */
  contacts: boolean | null;
  /** 1 for the first */
  claim: number;
  /** UUID; a worker with another one has lost the build */
  lease: string;
  /** the moment whose state the file shows */
  startedAt: Date;
}

/** Whether each quiz has a table of its own. */
export const hasSheets = ({ format }: Pick<ClaimedExport, "format">): boolean => format === "xlsx";

/** Whether values are written exactly and with their types, instead of for a spreadsheet's own CSV import. */
export const isExact = ({ format, csvStyle }: Pick<ClaimedExport, "format" | "csvStyle">): boolean =>
  format === "csv" ? csvStyle === "plain" : format === "xlsx" || format === "parquet";

/** The filters in the form that answers show. */
export interface StoredFilters {
  /** days in `tz`, both inclusive */
  from: string | null;
  to: string | null;
  /** public id */
  quiz_id: string | null;
  search: ProfileSearch | null;
  tz: string | null;
}

/** What reading any dataset requires. */
export interface BuildContext {
  deps: BuildDeps;
  limits: BuildLimits;
  claimed: ClaimedExport;
  store: Store;
  deadline: Deadline;
  pace: Pace;
}
