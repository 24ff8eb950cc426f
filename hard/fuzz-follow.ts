import type { Random } from "../demo/random.ts";
import type { FuzzOperation } from "./fuzz-document.ts";
import { type FuzzAnswer, headerOf, type Shot } from "./fuzz-shot.ts";
import { bent, hostileValue } from "./fuzz-values.ts";

/**
 * Requests that follow from an answer: a repeat with the same Idempotency-Key, a conditional read with the ETag, and
 * changes of a draft within the run that was begun.
 */

const idempotencyHeader = "idempotency-key";

const headerSent = ({ headers }: Shot, name: string): string | null => {
  const at = headers.findIndex((text, index) => index % 2 === 0 && text === name);
  return at < 0 ? null : (headers[at + 1] ?? null);
};

function repeated(first: FuzzAnswer, mayForget: () => boolean): (answer: FuzzAnswer) => string | null {
  return (answer) => {
    if (answer.status === 429) return null;
    if (headerOf(answer, "idempotent-replayed") === null && mayForget()) return null;
    if (headerOf(answer, "idempotent-replayed") !== "true") return "a repeat is not marked as one";
    if (answer.status !== first.status || answer.text !== first.text)
      return "a repeat answers otherwise than the first";
    return headerOf(answer, "location") === headerOf(first, "location") ? null : "a repeat has another Location";
  };
}

function otherUse({ status, body }: FuzzAnswer): string | null {
  const fields = (body as { errors?: { field: string }[] } | null)?.errors?.map(({ field }) => field);
  return status === 429 || fields?.includes("header.Idempotency-Key")
    ? null
    : "another body is taken under the same key";
}

const changedThings = ["", "/name", "/description", "/pages", "/pages/0", "/pages/0/title", "/dimensions", "/nobody/9"];

function draftChange(random: Random): object {
  const op = random.pick(["set", "set", "insert", "remove", "move"]);
  const path = random.chance(0.1) ? String(hostileValue(random)) : random.pick(changedThings);
  if (op === "remove") return { op, path };
  if (op === "move") return { op, path, before: random.pick(["0", "1", "nobody"]) };
  const value = random.pick([
    random.hex(6),
    { page_key: random.hex(6), title: "Added", components: [] },
    hostileValue(random),
  ]);
  return { op, path, value };
}

/** Three changes within the run, which is then mostly ended, because it would lock the quiz for ten minutes. */
function draftWork(shot: Shot, answer: FuzzAnswer, random: Random, operations: readonly FuzzOperation[]): Shot[] {
  const run_id = (answer.body as { run_id?: string }).run_id;
  const made = (id: string, path: string, body: unknown): Shot => {
    const operation = operations.find((one) => one.id === id) ?? null;
    const headers = [...shot.headers.slice(0, 2), "content-type", "application/json"];
    return {
      ...shot,
      label: id,
      operation,
      method: operation?.method ?? "",
      path,
      headers,
      body: JSON.stringify(body),
      statuses: null,
    };
  };
  const run = shot.path.replace(/\?.*$/s, "");
  const draft = run.replace(/\/run$/, "");
  const changes = Array.from({ length: 3 }, (_, index) => {
    const body = {
      run_id,
      changes: index === 0 ? [] : Array.from({ length: random.int(0, 4) }, () => draftChange(random)),
    };
    return made("changeQuizDraft", draft, random.chance(0.2) ? bent(body, random) : body);
  });
  return random.chance(0.8) ? [...changes, made("endDraftRun", `${run}/end`, { run_id })] : changes;
}

export function afterwards(
  shot: Shot,
  answer: FuzzAnswer,
  random: Random,
  operations: readonly FuzzOperation[],
  /** whether the key of the first request may be forgotten meanwhile */
  mayForget: () => boolean,
): Shot[] {
  const { operation, method } = shot;
  if (!operation || answer.status >= 300) return [];
  if (operation.id === "beginDraftRun") return draftWork(shot, answer, random, operations);
  const key = headerSent(shot, idempotencyHeader);
  if (method === "POST" && key !== null && key !== "" && random.chance(0.5)) {
    // a repeat that a twin has forgotten is a request like any other
    const statuses = shot.key?.store === "twin" ? null : [answer.status, 429];
    const again: Shot = { ...shot, label: "repeat", statuses, judge: repeated(answer, mayForget) };
    const [other] = answer.status === 201 && operation.id === "saveVersion" ? [`{"label":"${random.hex(8)}"}`] : [];
    if (other === undefined) return [again];
    const type = headerSent(shot, "content-type") === null ? ["content-type", "application/json"] : [];
    const headers = [...shot.headers, ...type];
    return [
      again,
      { ...shot, label: "key of another body", headers, body: other, statuses: [422, 429], judge: otherUse },
    ];
  }
  const tag = headerOf(answer, "etag");
  if (tag !== null && headerSent(shot, "if-none-match") === null && random.chance(0.2)) {
    const list = random.pick([tag, `W/${tag}`, `"a", ${tag}`, "*"]);
    const headers = [...shot.headers, "if-none-match", list];
    return [{ ...shot, label: "unchanged?", headers, statuses: [304, 200, 404, 422, 429] }];
  }
  return [];
}
