import { createAnswering } from "../../../demo/answering.ts";
import { instantSession } from "../../../demo/browser.ts";
import { createRandom } from "../../../demo/random.ts";
import type { ShopperSession } from "../../../demo/session.ts";
import type { QuizDocument } from "../../../engine/document.ts";
import { serverArgument } from "../../platform/command-line/commands.ts";
import { Progress, printResult } from "../../platform/command-line/print.ts";
import { OperatorError, UsageError } from "../../platform/operator-error.ts";

/** `quizstore simulate`: the demo's shoppers over HTTP, at a steady rate of sessions a second [command-line.demo]. */

interface SimulateOptions {
  url: string;
  store: string;
  rate: string;
  seconds: string;
  seed: string;
  json?: boolean;
}

interface LiveQuiz {
  quiz_id: string;
  version_id: string;
  document: QuizDocument;
}

const requestTimeoutMs = 30_000;

export async function simulate(options: SimulateOptions): Promise<void> {
  const rate = number("rate", options.rate, 10_000);
  const seconds = number("seconds", options.seconds, 86_400);
  const base = serverArgument(options.url).origin;
  const quizzes = await liveQuizzes(base, options.store);
  if (quizzes.length === 0) throw new OperatorError("the store has no published quiz to take");
  const random = createRandom(options.seed);
  const answering = createAnswering();
  const totals = { sessions: 0, events: 0, rejected: 0, failed: 0, milliseconds: 0 };
  const count = Math.max(1, Math.round(rate * seconds));
  const bar = new Progress("simulated shoppers", count);
  const started = performance.now();
  const underWay = new Set<Promise<void>>();
  for (let index = 0; index < count; index += 1) {
    const wait = started + (index * 1000) / rate - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const { quiz_id, version_id, document } = random.pick(quizzes);
    const shopper = instantSession({ random, answering, document, quiz_id, version_id, now: Date.now() });
    const sent = post(base, options.store, shopper, totals).finally(() => underWay.delete(sent));
    underWay.add(sent);
    bar.update(totals.sessions);
  }
  await Promise.all(underWay);
  bar.update(count);
  totals.milliseconds = Math.round(performance.now() - started);
  printResult(totals, options.json ?? false);
  if (totals.failed > 0) throw new OperatorError(`${totals.failed} requests failed`);
}

function number(name: string, text: string, high: number): number {
  const value = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (value <= 0 || value > high) throw new UsageError(`--${name} must be a number above 0, at most ${high}`);
  return value;
}

async function liveQuizzes(base: string, store: string): Promise<LiveQuiz[]> {
  const list = await get<{ data: { quiz_id: string }[] }>(
    `${base}/storefront/v1/quizzes?store=${encodeURIComponent(store)}`,
  );
  const address = (id: string) => `${base}/storefront/v1/quizzes/${id}?store=${encodeURIComponent(store)}`;
  return Promise.all(list.data.map((quiz) => get<LiveQuiz>(address(quiz.quiz_id))));
}

async function get<Body>(url: string): Promise<Body> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(requestTimeoutMs) }).catch((error: Error) => {
    throw new OperatorError(`${new URL(url).origin} cannot be reached`, { cause: error.cause });
  });
  if (answer.status === 404)
    throw new OperatorError("the server knows no store with this publishable key and an active plan");
  if (!answer.ok) throw new OperatorError(`the server answered ${answer.status}`);
  return (await answer.json()) as Body;
}

type Totals = { sessions: number; events: number; rejected: number; failed: number };

async function post(base: string, store: string, { session, userAgent, batches }: ShopperSession, totals: Totals) {
  for (const { sentAt, events } of batches) {
    const body = JSON.stringify({ store, sent_at: new Date(sentAt).toISOString(), session, events });
    const headers = { "content-type": "application/json", "user-agent": userAgent };
    const answer = await postPatiently(`${base}/storefront/v1/events`, { method: "POST", headers, body });
    if (answer?.status !== 202) {
      await answer?.body?.cancel();
      totals.failed += 1;
      continue;
    }
    const taken = (await answer.json()) as { accepted: number; rejected: unknown[] };
    totals.events += taken.accepted;
    totals.rejected += taken.rejected.length;
  }
  totals.sessions += 1;
}

const triesAtMost = 10;

/** Retries like a browser's code should: when the response says so. null: no response. */
async function postPatiently(url: string, request: RequestInit): Promise<Response | null> {
  for (let tries = 1; ; tries += 1) {
    const signal = AbortSignal.timeout(requestTimeoutMs);
    const answer = await fetch(url, { ...request, signal }).catch(() => null);
    const seconds = Number(answer?.headers.get("retry-after") ?? 0);
    if ((answer?.status !== 429 && answer?.status !== 503) || !(seconds > 0) || tries === triesAtMost) return answer;
    await answer.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
}
