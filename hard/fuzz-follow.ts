import type { Random } from "../demo/random.ts";
import { type FuzzAnswer, headerOf, type Shot } from "./fuzz-shot.ts";

/** What follows from an answer: the same again under its Idempotency-Key, and a question by its ETag. */

const idempotencyHeader = "idempotency-key";

const headerSent = ({ headers }: Shot, name: string): string | null => {
  const at = headers.findIndex((text, index) => index % 2 === 0 && text === name);
  return at < 0 ? null : (headers[at + 1] ?? null);
};

function repeated(first: FuzzAnswer): (answer: FuzzAnswer) => string | null {
  return (answer) => {
    if (answer.status === 429) return null;
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

export function afterwards(shot: Shot, answer: FuzzAnswer, random: Random): Shot[] {
  const { operation, method } = shot;
  if (!operation || answer.status >= 300) return [];
  const key = headerSent(shot, idempotencyHeader);
  if (method === "POST" && key !== null && key !== "" && random.chance(0.5)) {
    const again: Shot = { ...shot, label: "repeat", statuses: [answer.status, 429], judge: repeated(answer) };
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
