import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorKinds } from "../contract/errors.ts";
import type { AnswerRule, FuzzDocument } from "./fuzz-document.ts";
import type { Known } from "./fuzz-known.ts";
import { type FuzzAnswer, headerOf, type Shot } from "./fuzz-shot.ts";

/** Checks what must hold for every answer, whatever the request [api.problems]. Returns what is wrong, or null. */

/** A piece of the other store's content, which no answer may contain. */
export const canary = "canary-of-the-other-store";

const root = join(import.meta.dirname, "..");
const machinePaths = [root, tmpdir(), "node_modules", "/server/platform/", "file://"];
const insides =
  /\n\s+at |\bSELECT \w+.* FROM\b|\bINSERT INTO\b|\bsyntax error\b|\bviolates \w+|ECONNREFUSED|\[object Object\]|DuckDB|SQLSTATE/;
const anyId = /\b(?:quiz|ver|prof|exp|whe|whd|sess|vis|evt)_[0-9a-f]{32}\b/g;

const rateLimit = /^limit=\d+, remaining=\d+, reset=\d+$/;
const policy = /^\d+;w=\d+$/;

export class Checker {
  readonly #document: FuzzDocument;
  readonly #known: Known;
  readonly #requestIds = new Set<string>();

  constructor(document: FuzzDocument, known: Known) {
    this.#document = document;
    this.#known = known;
  }

  /** The first thing that is wrong with an answer. */
  fault(shot: Shot, answer: FuzzAnswer): string | null {
    const { status } = answer;
    if (status >= 500) return `status ${status}`;
    const rule = shot.operation?.answers.get(status);
    if (shot.operation && !rule) return `status ${status} is not declared`;
    return (
      this.#idFault(answer) ??
      (shot.statuses && !shot.statuses.includes(status)
        ? `status ${status}, should be ${shot.statuses.join(" or ")}`
        : null) ??
      this.#bodyFault(shot, answer, rule) ??
      headerFault(shot, answer, rule) ??
      this.#leak(shot, answer) ??
      shot.judge?.(answer) ??
      null
    );
  }

  #idFault(answer: FuzzAnswer): string | null {
    const id = headerOf(answer, "request-id") ?? "";
    if (!/^req_[0-9a-f]{32}$/.test(id)) return `request id ${JSON.stringify(id)}`;
    if (this.#requestIds.has(id)) return "a request id came twice";
    this.#requestIds.add(id);
    return null;
  }

  #bodyFault(shot: Shot, answer: FuzzAnswer, rule: AnswerRule | undefined): string | null {
    const { status, text } = answer;
    if (shot.method === "HEAD" || status === 204 || status === 304) return text === "" ? null : `${status} with a body`;
    if (status >= 400) return this.#problemFault(answer, rule);
    if (!shot.operation) return null;
    if (!headerOf(answer, "content-type")?.startsWith(rule?.mediaType ?? "none")) return "wrong media type";
    if (!rule?.matches?.(answer.body)) return `not of the declared shape: ${JSON.stringify(rule?.matches?.errors)}`;
    return null;
  }

  #problemFault(answer: FuzzAnswer, rule: AnswerRule | undefined): string | null {
    const { status, body } = answer;
    if (headerOf(answer, "content-type") !== "application/problem+json") return "a refusal that is no problem";
    if (!this.#document.problem(body)) return `no problem: ${JSON.stringify(this.#document.problem.errors)}`;
    const problem = body as Record<string, unknown>;
    const title = String(problem["title"]);
    if (problem["status"] !== status) return "the problem's status is not the answer's";
    if (problem["request_id"] !== headerOf(answer, "request-id")) return "the problem names another request id";
    if (!String(problem["type"]).endsWith(`/errors/${title}`)) return "type and title disagree";
    if (!Object.hasOwn(errorKinds, title)) return `unknown title ${title}`;
    if (rule && !rule.titles.has(title)) return `title ${title} is not declared`;
    return titleFault(title, problem, answer);
  }

  #leak(shot: Shot, answer: FuzzAnswer): string | null {
    const { text, status } = answer;
    if (text.includes(canary)) return "content of the other store";
    for (const [id] of text.matchAll(anyId)) if (this.#known.isStranger(id)) return `id ${id} of the other store`;
    const path = machinePaths.find((one) => text.includes(one) && !shot.path.includes("openapi"));
    if (path !== undefined) return `names ${path} of the machine`;
    if (status >= 400 && insides.test(text)) return "tells of its insides";
    return null;
  }
}

function titleFault(title: string, problem: Record<string, unknown>, answer: FuzzAnswer): string | null {
  const { status } = answer;
  const fields = problem["errors"] as { field: string }[] | undefined;
  if (title === "invalid_api_key" && headerOf(answer, "www-authenticate") !== "Bearer")
    return "401 without WWW-Authenticate";
  if (title === "not_found" && problem["detail"] !== "Not found") return "a 404 that says more";
  if (title === "method_not_allowed" && !headerOf(answer, "allow")) return "405 without Allow";
  if (title === "insufficient_scope" && !(problem["required"] as unknown[] | undefined)?.length)
    return "403 that names no scope";
  if (
    title === "validation_error" &&
    fields?.some(({ field }) => !/^(body|query|header|request|path|draft)(\.|$)/.test(field))
  )
    return "an error whose field has no place";
  const after = problem["retry_after"];
  const due = status === 429 || status === 503;
  if (due && !(Number(after) >= 1 && headerOf(answer, "retry-after") === String(after)))
    return `${status} without Retry-After`;
  return !due && after !== undefined ? `${status} with retry_after` : null;
}

/**
 * Declared for answers that only sometimes have them: repeated ones, and those after the limiter was asked, which are
 * checked below.
 */
const sentAtTimes: ReadonlySet<string> = new Set(["Idempotent-Replayed", "RateLimit", "RateLimit-Policy"]);

function headerFault(shot: Shot, answer: FuzzAnswer, rule: AnswerRule | undefined): string | null {
  const { status, headers } = answer;
  const missing = rule?.headers.find((name) => {
    // an existing endpoint is answered without its location
    const optional = sentAtTimes.has(name) || (name === "Location" && status === 200);
    return !optional && headerOf(answer, name.toLowerCase()) === null;
  });
  if (missing !== undefined) return `lacks the header ${missing}`;
  const length = headerOf(answer, "content-length");
  if (length !== null && shot.method !== "HEAD" && Number(length) !== answer.length && status !== 304)
    return "wrong Content-Length";
  if (headers["x-powered-by"] ?? headers["server"]) return "names its software";
  if (shot.path.startsWith("/v1") && headers["access-control-allow-origin"])
    return "allows other origins [api.cross-origin]";
  if (!shot.operation) return null;
  const limits = [headerOf(answer, "ratelimit"), headerOf(answer, "ratelimit-policy")];
  const title = (answer.body as { title?: string } | null)?.title;
  const gate = status === 401 || title === "plan_required";
  if (gate)
    return limits.some((one) => one !== null) ? "limits in an answer before the limiter [api.check-order]" : null;
  // a 403 for the operation's scope comes before the limiter, one for the body's after it
  if (status === 403) return null;
  return rateLimit.test(limits[0] ?? "") && policy.test(limits[1] ?? "")
    ? null
    : "no limits in a charged answer [api.rate-headers]";
}
