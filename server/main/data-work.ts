import { putProducts } from "../orders/catalog.ts";
import { parsePayload, importOrders as putOrders } from "../orders/public.ts";
import { noDeadline } from "../platform/deadline.ts";
import { Problem } from "../platform/problems.ts";
import { type Intake, readBatch } from "../storefront/public.ts";
import { AdminError, listStores } from "../stores/admin.ts";
import { readNdjsonFile } from "./commands/files.ts";
import { storeNamed } from "./commands/with.ts";
import { openIntake } from "./compose.ts";
import { putDemoContent } from "./demo-content.ts";
import type { Opened } from "./foundations.ts";
import { Progress } from "./print.ts";
import { runOrders } from "./run-orders.ts";
import { runShoppers } from "./run-shoppers.ts";

/** The work behind `quizstore import` and `quizstore demo`. */

const batchesInFlight = 200;

export async function importEvents(opened: Opened, file: string, storeName: string, emit: boolean) {
  const store = await storeNamed(opened.database.reader(noDeadline), storeName);
  const key = await publishableKeyOf(opened, store.id);
  const intake = openIntake(opened);
  const totals = {
    batches: 0,
    accepted: 0,
    duplicates: 0,
    rejected: 0,
    refused: [] as { line: number; detail: string }[],
  };
  const underWay = new Set<Promise<void>>();
  try {
    for await (const { line, value } of readNdjsonFile(file)) {
      const taken = takeLine(intake, { store, key, emit, value })
        .then((answer) => {
          totals.batches += 1;
          totals.accepted += answer.accepted;
          totals.duplicates += answer.duplicates;
          totals.rejected += answer.rejected.length;
        })
        .catch((error) => {
          if (!(error instanceof Problem) || error.status >= 500) throw error;
          totals.refused.push({ line, detail: error.message });
        })
        .finally(() => underWay.delete(taken));
      underWay.add(taken);
      if (underWay.size >= batchesInFlight) await Promise.race(underWay);
    }
    await Promise.all(underWay);
  } finally {
    await intake.close();
  }
  totals.refused.sort((a, b) => a.line - b.line);
  const [first] = totals.refused;
  if (first && totals.batches === 0) throw new AdminError(`nothing was taken; line ${first.line}: ${first.detail}`);
  return totals;
}

type Line = { store: Awaited<ReturnType<typeof storeNamed>>; key: string; emit: boolean; value: unknown };

function takeLine(intake: Intake, { store, key, emit, value }: Line) {
  const object = value !== null && typeof value === "object" ? value : {};
  // history may come without the fields that only a browser can fill in
  const batch = readBatch({ store: key, sent_at: latestTime(object), ...object });
  const extra = object as { user_agent?: unknown; country?: unknown; region?: unknown };
  const text = (field: unknown) => (typeof field === "string" && field !== "" ? field : null);
  return intake.submit({
    store,
    batch,
    origin: { userAgent: text(extra.user_agent), country: text(extra.country), region: text(extra.region) },
    mode: { kind: "history", emit },
    sender: null,
    deadline: noDeadline,
  });
}

function latestTime(batch: { events?: unknown }): string {
  const events = Array.isArray(batch.events) ? (batch.events as { at?: unknown }[]) : [];
  const times = events.map((event) => event?.at).filter((at) => typeof at === "string");
  return times.sort().at(-1) ?? "";
}

async function publishableKeyOf({ database }: Opened, storeId: string): Promise<string> {
  const stores = await listStores(database.reader(noDeadline));
  const store = stores.find((each) => each.store_id === `store_${storeId.replaceAll("-", "")}`);
  if (!store) throw new AdminError("there is no such store");
  return store.publishable_key;
}

const productsAtOnce = 500;

export async function importProducts(opened: Opened, file: string, storeName: string) {
  const { database, calendar } = opened;
  const store = await storeNamed(database.reader(noDeadline), storeName);
  const totals = { products: 0, variants: 0 };
  const put = async (payloads: unknown[]) => {
    const done = await database.transaction(noDeadline, (tx) => putProducts(tx, store.id, payloads, calendar.now()));
    totals.products += done.products;
    totals.variants += done.variants;
  };
  let waiting: unknown[] = [];
  for await (const { value } of readNdjsonFile(file, parsePayload)) {
    waiting.push(value);
    if (waiting.length < productsAtOnce) continue;
    await put(waiting);
    waiting = [];
  }
  if (waiting.length > 0) await put(waiting);
  return totals;
}

const ordersAtOnce = 200;

export async function importOrders(opened: Opened, file: string, storeName: string) {
  const { database, calendar, random } = opened;
  const store = await storeNamed(database.reader(noDeadline), storeName);
  const totals = { orders: 0, ignored: 0, refused: [] as { line: number; detail: string }[] };
  const put = async (waiting: { line: number; value: unknown }[]) => {
    const payloads = waiting.map(({ value }) => value);
    const context = { now: calendar.now(), random };
    const done = await database.transaction(noDeadline, (tx) => putOrders(tx, store, payloads, context));
    totals.orders += done.orders;
    totals.ignored += done.ignored;
    for (const { index, detail } of done.refused) totals.refused.push({ line: waiting[index]?.line ?? 0, detail });
  };
  let waiting: { line: number; value: unknown }[] = [];
  for await (const line of readNdjsonFile(file, parsePayload)) {
    waiting.push(line);
    if (waiting.length < ordersAtOnce) continue;
    await put(waiting);
    waiting = [];
  }
  if (waiting.length > 0) await put(waiting);
  const [first] = totals.refused;
  if (first && totals.orders + totals.ignored === 0)
    throw new AdminError(`nothing was taken; line ${first.line} ${first.detail}`);
  return totals;
}

const wholeNumber = (name: string, text: string, high: number): number => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > high) throw new AdminError(`--${name} must be a whole number from 1 to ${high}`);
  return value;
};

export async function runDemo(
  opened: Opened,
  options: { store: string; days: string; sessions: string; seed: string },
) {
  const { database, calendar } = opened;
  const days = wholeNumber("days", options.days, 365);
  const sessions = wholeNumber("sessions", options.sessions, 1_000_000);
  const store = await storeNamed(database.reader(noDeadline), options.store);
  const to = calendar.now();
  const from = to - days * 24 * 60 * 60 * 1000;
  const quizzes = await database.transaction(noDeadline, (tx) => putDemoContent(tx, opened, store.id, { from, to }));
  const publishableKey = await publishableKeyOf(opened, store.id);
  const intake = openIntake(opened);
  const bar = new Progress(`shoppers of ${days} days`, sessions);
  const plan = { seed: options.seed, quizzes, from, to, sessions };
  const stopped = () => false;
  try {
    const totals = await runShoppers(intake, {
      store,
      publishableKey,
      plan,
      progress: (sent) => bar.update(sent),
      stopped,
    });
    const orders = await runOrders(opened, { store, plan, stopped });
    return { ...totals, orders, quizzes: quizzes.map((quiz) => quiz.quiz_id) };
  } finally {
    await intake.close();
  }
}
