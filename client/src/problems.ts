import type { FieldError, Problem, ProblemTitle } from "./generated/types.ts";

/** How a call can fail: the API refuses, or there is no answer at all [client.problems]. */

/**
 * The API refused, or something between here and the API did. Programs branch on `title`; an answer that is not the
 * API's own, such as a proxy's page, has the title `unexpected_answer`.
 */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly status: number;
  /** The address of a page about the refusal */
  readonly type: string;
  // the last part accepts titles that a later server adds, and keeps the completion of those known now
  readonly title: ProblemTitle | "unexpected_answer" | (string & {});
  readonly detail: string;
  /** Quote it when you report a problem; null if the answer had none */
  readonly requestId: string | null;
  /** What was refused, field by field; empty if no field was at fault */
  readonly errors: readonly FieldError[];
  /** Scopes that the key lacks */
  readonly required: readonly string[];
  /** Seconds to wait before the same call can succeed; null if waiting does not help */
  readonly retryAfter: number | null;
  /** The whole body, with fields that only some refusals have */
  readonly problem: Problem;

  constructor(call: string, problem: Problem, response: Response) {
    const { errors = [], required = [] } = problem;
    const requestId = response.headers.get("request-id") ?? problem.request_id ?? null;
    const fields = errors.map(({ field, message }) => `${field}: ${message}`).join("; ");
    super(`${call}: ${problem.title} (${fields || problem.detail})${requestId ? ` ${requestId}` : ""}`);
    this.status = response.status;
    this.type = problem.type;
    this.title = problem.title;
    this.detail = problem.detail;
    this.requestId = requestId;
    this.errors = errors;
    this.required = required;
    this.retryAfter = secondsOf(response.headers.get("retry-after")) ?? problem.retry_after ?? null;
    this.problem = problem;
  }
}

/** No answer came: the connection failed or broke, or the time was up. `cause` is the error of `fetch`. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly timedOut: boolean;

  constructor(call: string, timedOut: boolean, cause: unknown) {
    const reason = timedOut ? "no answer in time" : "no answer";
    super(`${call}: ${reason}${cause instanceof Error ? ` (${cause.message})` : ""}`, { cause });
    this.timedOut = timedOut;
  }
}

/** This API sends `Retry-After` in seconds; a proxy may send a date, for which the client's own pause is used. */
function secondsOf(header: string | null): number | null {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : null;
}

/** Converts a response, from the API or anything in between, to an error. */
export function problemOf(call: string, response: Response, text: string): ProblemError {
  return new ProblemError(call, parsed(text) ?? unexpected(response), response);
}

function parsed(text: string): Problem | null {
  try {
    const value: Partial<Problem> | null = JSON.parse(text);
    return typeof value?.title === "string" && typeof value.status === "number" ? (value as Problem) : null;
  } catch {
    return null;
  }
}

const unexpected = ({ status }: Response): Problem => ({
  type: "about:blank",
  title: "unexpected_answer",
  detail: `Status ${status} with a body that is not the API's`,
  status,
  request_id: "",
});
