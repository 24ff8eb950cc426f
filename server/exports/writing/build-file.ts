import type { TSchema } from "typebox";
import { isoTime } from "../../platform/clock.ts";
import type { Deadline } from "../../platform/deadline.ts";
import { formatId } from "../../platform/ids.ts";
import { Problem } from "../../platform/problems.ts";
import { findStore } from "../../stores/public.ts";
import { fileName } from "../export-rows.ts";
import type { Dataset, WriteDataset } from "./dataset.ts";
import { type BuildContext, type BuildDeps, type BuildLimits, type ClaimedExport, isExact } from "./deps.ts";
import { csvFormat, ExactWriter, jsonFormat, ndjsonFormat, type RowWriter, TextWriter } from "./file.ts";
import { Output, type Written } from "./output.ts";
import { Pace, pause } from "./pace.ts";
import { writeProfiles } from "./profiles.ts";
import { writeAnalytics } from "./quiz-analytics.ts";
import { writeResponses } from "./responses.ts";
import { tableWriters } from "./table-writers.ts";

const datasets: Record<ClaimedExport["dataset"], (context: BuildContext, write: WriteDataset) => Promise<void>> = {
  profiles: writeProfiles,
  responses: writeResponses,
  quiz_analytics: writeAnalytics,
};

export const nameOf = (claimed: ClaimedExport): string => fileName(claimed.storeId, claimed, claimed.claim);

/** real ms between checks whether the copy has been loaded */
const loadingMs = 500;

/**
 * Builds and publishes the file of an export. A failed build leaves no file.
 *
 * @param deadlines opens a deadline for the wait for the store's columnar copy, and one for the snapshot
 */
export async function buildFile(
  deps: BuildDeps,
  limits: BuildLimits,
  claimed: ClaimedExport,
  deadlines: { open: () => Deadline },
): Promise<Written> {
  const store = await findStore(deps.database.reader(), formatId("store", claimed.storeId));
  if (!store) throw new Error("the store of an export does not exist");
  if (needsCopy(claimed)) await loadCopy(deps, claimed.storeId, deadlines.open());
  const deadline = deadlines.open();
  const pauseMs = store.allowances.export_page_pause_ms;
  const pace = new Pace({ pauseMs, limits, deadline, elapsed: deps.elapsed });
  const context: BuildContext = { deps, limits, claimed, store, deadline, pace };
  const sink = await deps.storage.write(nameOf(claimed));
  try {
    const output = new Output(sink);
    let rows: number | null = null;
    await datasets[claimed.dataset](context, async <Row>(dataset: Dataset<Row>) => {
      rows = await writeParts(openWriter<Row>(output, claimed, dataset.shape), dataset);
    });
    if (rows === null) throw new Error("a dataset was not read");
    await sink.finish();
    return { rows, ...output.finished() };
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

/** Returns the number of rows. */
async function writeParts<Row>(writer: RowWriter<Row>, { parts }: Dataset<Row>): Promise<number> {
  let rows = 0;
  try {
    for (const part of parts) {
      await writer.begin(part);
      await part.read(async (some) => {
        rows += some.length;
        // figures come in batches of many days
        for (let from = 0; from < some.length; from += rowsAtOnce)
          await writer.add(some.slice(from, from + rowsAtOnce));
      });
    }
    await writer.end();
    return rows;
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

const rowsAtOnce = 50;

function openWriter<Row>(output: Output, claimed: ClaimedExport, shape: TSchema | undefined): RowWriter<Row> {
  const { dataset, format, filters, headers, startedAt } = claimed;
  if (isExact(claimed)) {
    const open = tableWriters[format as keyof typeof tableWriters];
    return new ExactWriter<Row>(open(output, { dataset, generatedAt: startedAt }), headers);
  }
  if (format === "csv") return new TextWriter<Row>(output, (columns) => csvFormat(columns, headers));
  if (format === "ndjson") return new TextWriter<Row>(output, () => ndjsonFormat<Row>(shape));
  // jsonb does not keep the order of keys
  const { from, to, quiz_id, search, tz } = filters;
  const about = { dataset, filters: { from, to, quiz_id, search, tz }, generated_at: isoTime(startedAt) };
  return new TextWriter<Row>(output, () => jsonFormat<Row>(about, shape));
}

const needsCopy = ({ dataset, filters }: ClaimedExport): boolean =>
  dataset === "quiz_analytics" || filters.search !== null;

/** Waits until the store's copy is loaded. The first load may take minutes, during which no snapshot should be held. */
async function loadCopy({ facts }: BuildDeps, storeId: string, deadline: Deadline): Promise<void> {
  for (;;) {
    try {
      await facts.read(storeId, async () => null, deadline);
      return;
    } catch (error) {
      if (!(error instanceof Problem) || error.title !== "dependency_unavailable") throw error;
    }
    await pause(loadingMs, deadline);
  }
}
