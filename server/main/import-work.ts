import { importProducts as putProducts } from "../orders/catalog.ts";
import { importOrders as putOrders } from "../orders/ingest.ts";
import { parsePlatformJson } from "../orders/payload.ts";
import { readNdjsonFile } from "../platform/command-line/files.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { invalid, Problem } from "../platform/problems.ts";
import { countryOf } from "../storefront/country.ts";
import { type Intake, readBatch } from "../storefront/intake.ts";
import { listStores } from "../stores/admin.ts";
import { storeNamed } from "../stores/public.ts";
import { sentenceOf } from "./commands/with.ts";
import { openIntake } from "./compose.ts";
import type { Opened } from "./foundations.ts";

/**
 * The work behind `quizstore import`. A line that cannot be taken is named and does not keep the others out; what stops an
 * import (the database is away) leaves what was taken before it, and the file can be imported again: what is known already
 * changes nothing.
 */

interface RefusedLine {
  line: number;
  detail: string;
}

/** As many refused lines as are named one by one; the count covers all. */
const namedAtMost = 1_000;

/** What became of a file's lines. */
class Lines {
  taken = 0;
  #refused = 0;
  readonly #named: RefusedLine[] = [];

  refuse(line: number, detail: string): void {
    this.#refused += 1;
    if (this.#named.length < namedAtMost) this.#named.push({ line, detail });
  }

  /** For the end of a command's result. */
  get report(): { lines: { taken: number; refused: number }; refused: RefusedLine[] } {
    const refused = this.#named.toSorted((a, b) => a.line - b.line);
    return { lines: { taken: this.taken, refused: this.#refused }, refused };
  }

  stoppedBy(error: unknown): OperatorError {
    const before = `${this.taken} lines were taken and ${this.#refused} refused before`;
    return new OperatorError(
      `the import was stopped: ${sentenceOf(error)}; ${before}, import the file again to go on`,
      {
        cause: error,
      },
    );
  }
}

const batchesInFlight = 200;

export async function importEvents(opened: Opened, file: string, storeName: string, emit: boolean) {
  const store = await storeNamed(opened.database.reader(), storeName);
  const key = await publishableKeyOf(opened, store.id);
  const intake = openIntake(opened);
  const lines = new Lines();
  const totals = { batches: 0, accepted: 0, duplicates: 0, rejected: 0 };
  const failed = new AbortController();
  const take = async (line: number, value: unknown): Promise<void> => {
    try {
      const answer = await takeLine(intake, { store, key, emit, value });
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
      const taken = take(each.line, each.value).finally(() => underWay.delete(taken));
      underWay.add(taken);
      if (underWay.size >= batchesInFlight) await Promise.race(underWay);
    }
  } finally {
    // what is under way is counted before anybody is told
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

async function takeLine(intake: Intake, { store, key, emit, value }: Line) {
  const object = value !== null && typeof value === "object" ? value : {};
  // history may come without the fields that only a browser can fill in
  const batch = readBatch({ store: key, sent_at: latestTime(object), ...object });
  if (batch.store !== key) throw invalid("store", "is not the publishable key of the store that it is imported into");
  const extra = object as { user_agent?: unknown; country?: unknown; region?: unknown };
  const text = (field: unknown) => (typeof field === "string" && field !== "" ? field : null);
  // as a proxy's header would say it
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

export async function publishableKeyOf({ database }: Opened, storeId: string): Promise<string> {
  const stores = await listStores(database.reader());
  const store = stores.find((each) => each.store_id === `store_${storeId.replaceAll("-", "")}`);
  if (!store) throw new OperatorError("there is no such store");
  return store.publishable_key;
}

interface Put {
  /** by their place among the payloads, from 0 */
  refused: readonly { index: number; detail: string }[];
}

/** Reads payloads of the commerce platform and puts them in groups, each in a transaction of its own. */
async function putInGroups<Done extends Put>(
  file: string,
  atOnce: number,
  put: (payloads: unknown[]) => Promise<Done>,
): Promise<{ done: Done[]; lines: Lines }> {
  const lines = new Lines();
  const done: Done[] = [];
  let waiting: { line: number; value: unknown }[] = [];
  const putWaiting = async (): Promise<void> => {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    const outcome = await put(group.map(({ value }) => value)).catch((error: unknown) => {
      throw lines.stoppedBy(error);
    });
    done.push(outcome);
    lines.taken += group.length - outcome.refused.length;
    for (const { index, detail } of outcome.refused) lines.refuse(group[index]?.line ?? 0, detail);
  };
  for await (const each of readNdjsonFile(file, parsePlatformJson)) {
    if ("refused" in each) lines.refuse(each.line, each.refused);
    else waiting.push(each);
    if (waiting.length >= atOnce) await putWaiting();
  }
  await putWaiting();
  return { done, lines };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

const productsAtOnce = 500;

export async function importProducts({ database, calendar }: Opened, file: string, storeName: string) {
  const store = await storeNamed(database.reader(), storeName);
  const { done, lines } = await putInGroups(file, productsAtOnce, (payloads) =>
    database.transaction((tx) => putProducts(tx.forStore(store.id), payloads, calendar.now())),
  );
  const totals = { products: sum(done.map((each) => each.products)), variants: sum(done.map((each) => each.variants)) };
  return { ...totals, ...lines.report };
}

const ordersAtOnce = 200;

export async function importOrders({ database, calendar, random }: Opened, file: string, storeName: string) {
  const store = await storeNamed(database.reader(), storeName);
  const { done, lines } = await putInGroups(file, ordersAtOnce, (payloads) =>
    database.transaction((tx) => putOrders(tx.forStore(store.id), store, payloads, { now: calendar.now(), random })),
  );
  const totals = { orders: sum(done.map((each) => each.orders)), ignored: sum(done.map((each) => each.ignored)) };
  return { ...totals, ...lines.report };
}
