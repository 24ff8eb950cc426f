import { setTimeout as pause } from "node:timers/promises";
import type { AttackedQuiz } from "./attack-quizzes.ts";
import type { Ground } from "./attack-world.ts";
import { readDocument } from "./fuzz-document.ts";

/** Every question about the attacked store: each must be answered 200, whatever was sent to its storefront. */

const patience = 30_000;

interface Asked {
  path: string;
  body?: unknown;
}

const documented = readDocument().operations;

/** Values with which a query's parameter is tried: all values of an enumeration, otherwise none. */
function choicesOf(parameter: { name: string; schema: { readonly [keyword: string]: unknown } } | undefined): string[] {
  const values = parameter?.schema["enum"];
  return Array.isArray(values) ? values.map(String) : [];
}

/**
 * The reads of openapi.json that need no id other than a quiz's; without a test twin's clock, which requires a twin's
 * key.
 */
function reads(quizId: string, versionId: string, ofStore: boolean): Asked[] {
  return documented.flatMap(({ method, path, parameters }) => {
    if (method !== "GET" || /\{(?!quiz_id|version_id)/.test(path) || path.includes("{quiz_id}") === ofStore) return [];
    if (path.startsWith("/v1/test/")) return [];
    const filled = path.replace("{quiz_id}", quizId).replace("{version_id}", versionId);
    const by = parameters.find(({ name }) => name === "by");
    const choices = choicesOf(by);
    const queries = choices.length > 0 ? choices.map((choice) => `?by=${choice}`) : [""];
    return queries.map((query) => ({ path: filled + query }));
  });
}

function searchesOf(quiz_id: string): Asked[] {
  const term = (more: object) => ({ groups: [{ all: [{ quiz_id, ...more }] }] });
  const bodies = [
    {},
    term({ kind: "session", op: "equals", value: "abandoned" }),
    term({ kind: "number", op: "gt", page_key: "first", component_key: "free", value: 3 }),
    term({ kind: "text", op: "contains", page_key: "first", component_key: "story", value: "a" }),
  ];
  return bodies.map((body) => ({ path: "/v1/profiles/search", body }));
}

const answersTo = (quizId: string, ...components: string[]): Asked[] =>
  components.map((key) => ({ path: `/v1/quizzes/${quizId}/analytics/answers?component_key=${key}` }));

async function ask({ url, victim }: Ground, { path, body }: Asked): Promise<{ status: number; text: string }> {
  try {
    const answer = await fetch(url + path, {
      ...{ method: body === undefined ? "GET" : "POST", signal: AbortSignal.timeout(patience) },
      headers: { authorization: `Bearer ${victim.key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    return { status: 599, text: String(error) };
  }
}

async function people(ground: Ground): Promise<Asked[]> {
  const list = await ask(ground, { path: "/v1/profiles?limit=5" });
  return [...list.text.matchAll(/"(prof_[0-9a-f]{32})"/g)]
    .map(([, id]) => ({ path: `/v1/profiles/${id}` }))
    .slice(0, 5);
}

/** Builds one export; returns what is wrong with it. */
async function exported(ground: Ground, body: object): Promise<string[]> {
  const name = JSON.stringify(body);
  const made = await ask(ground, { path: "/v1/exports", body });
  const { id } = JSON.parse(made.status === 202 ? made.text : "{}") as { id?: string };
  if (id === undefined) return [`export ${name} was answered ${made.status} ${made.text.slice(0, 200)}`];
  const last = performance.now() + 60_000;
  for (;;) {
    const read = await ask(ground, { path: `/v1/exports/${id}` });
    const { status } = JSON.parse(read.status === 200 ? read.text : "{}") as { status?: string };
    if (status === "completed") return [];
    if (status === "failed" || performance.now() > last) return [`export ${name} is ${status ?? read.status}`];
    await pause(500);
  }
}

export const exportBodies = ["responses", "quiz_analytics", "profiles"].flatMap((dataset) =>
  ["csv", "json"].map((format) => ({ dataset, format })),
);

export interface QuestionsReport {
  asked: number;
  slowestMs: number;
  slowest: string;
  faults: string[];
}

/** @param quizzes whose own questions are asked */
export async function askEverything(
  ground: Ground,
  quizzes: readonly AttackedQuiz[] = ["short", "numbers", "branching"],
): Promise<QuestionsReport> {
  const { quizzes: live } = ground.victim;
  const questions = [
    ...reads("", "", true),
    ...quizzes.flatMap((name) => reads(live[name].quiz_id, live[name].version_id, false)),
    ...answersTo(live.numbers.quiz_id, "free", "fine"),
    ...searchesOf(live.numbers.quiz_id),
    ...(await people(ground)),
  ];
  const report: QuestionsReport = { asked: questions.length, slowestMs: 0, slowest: "", faults: [] };
  let unanswered = 0;
  for (const question of questions) {
    const from = performance.now();
    const { status, text } = await ask(ground, question);
    const ms = performance.now() - from;
    if (ms > report.slowestMs) Object.assign(report, { slowestMs: ms, slowest: question.path });
    if (status === 200) continue;
    report.faults.push(`${question.path} is answered ${status} ${text.slice(0, 200)}`);
    unanswered += status === 599 ? 1 : 0;
    // the program no longer answers, so the rest would add nothing
    if (unanswered >= 2) return report;
  }
  for (const body of exportBodies) {
    report.asked += 1;
    report.faults.push(...(await exported(ground, body)));
  }
  return report;
}
