import type { CommandDeps, StoreOption } from "../platform/command-line/commands.ts";
import { readNdjsonFile } from "../platform/command-line/files.ts";
import { ImportedLines } from "../platform/command-line/import-lines.ts";
import { invalid, Problem } from "../platform/problems.ts";
import { VersionCache } from "../quizzes/public.ts";
import { publishableKeyOf, storeNamed } from "../stores/public.ts";
import { countryOf } from "./country.ts";
import { Intake, readBatch } from "./intake.ts";

/** `quizstore import events`: one batch per line, through the same intake as HTTP. */

export interface EventImportOptions extends StoreOption {
  emit?: boolean;
}

const batchesInFlight = 200;

export async function importEvents(deps: CommandDeps, file: string, { store: name, emit = false }: EventImportOptions) {
  const db = deps.database.reader();
  const store = await storeNamed(db, name);
  const key = await publishableKeyOf(db, store.id);
  const intake = new Intake({ ...deps, database: deps.intakeDatabase, versions: new VersionCache() });
  const lines = new ImportedLines();
  const totals = { batches: 0, accepted: 0, duplicates: 0, rejected: 0 };
  const failed = new AbortController();
  const importLine = async (line: number, value: unknown): Promise<void> => {
    try {
      const answer = await submitLine(intake, { store, key, emit, value });
      lines.taken += 1;
      totals.batches += 1;
      totals.accepted += answer.accepted;
      totals.duplicates += answer.duplicates;
      totals.rejected += answer.rejected.length;
    } catch (error) {
      if (error instanceof Problem && error.status < 500) lines.refuse(line, detailOf(error));
      else failed.abort(error);
    }
  };
  const underWay = new Set<Promise<void>>();
  try {
    for await (const each of readNdjsonFile(file)) {
      if (failed.signal.aborted) break;
      if ("refused" in each) {
        lines.refuse(each.line, each.refused);
        continue;
      }
      const submitted = importLine(each.line, each.value).finally(() => underWay.delete(submitted));
      underWay.add(submitted);
      if (underWay.size >= batchesInFlight) await Promise.race(underWay);
    }
  } finally {
    // requests in flight must be counted before the report
    await Promise.all(underWay);
    await intake.close();
  }
  if (failed.signal.aborted) throw lines.stoppedBy(failed.signal.reason);
  return { ...totals, ...lines.report };
}

function detailOf({ message, extra }: Problem): string {
  const [first] = extra.errors ?? [];
  return first ? `${first.field} ${first.message}` : message;
}

interface Line {
  store: Awaited<ReturnType<typeof storeNamed>>;
  key: string;
  emit: boolean;
  value: unknown;
}

async function submitLine(intake: Intake, { store, key, emit, value }: Line) {
  const object = value !== null && typeof value === "object" ? value : {};
  // history may lack the fields that only a browser can fill in
  const batch = readBatch({ store: key, sent_at: latestTime(object), ...object });
  if (batch.store !== key) throw invalid("store", "is not the publishable key of the store that it is imported into");
  const extra = object as { user_agent?: unknown; country?: unknown; region?: unknown };
  const text = (field: unknown) => (typeof field === "string" && field !== "" ? field : null);
  // read like a proxy's header
  const country = await countryOf({ country: text(extra.country) ?? undefined }, "country", "");
  return intake.submit({
    store,
    batch,
    origin: { userAgent: text(extra.user_agent), country, region: text(extra.region) },
    mode: { kind: "history", emit },
    sender: null,
  });
}

function latestTime(batch: { events?: unknown }): string {
  const events = Array.isArray(batch.events) ? (batch.events as { at?: unknown }[]) : [];
  const times = events.map((event) => event?.at).filter((at) => typeof at === "string");
  return times.sort().at(-1) ?? "";
}
