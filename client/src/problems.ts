import type { FieldError, Problem, ProblemTitle } from "./generated/types.ts";

/** What a call can end with instead of an answer: the API's refusal, or no answer at all [client.problems]. */

/**
 * The API refused, or something between here and the API did. `title` is what programs branch on; an answer that is not
 * the API's own, such as a proxy's page, has the title `unexpected_answer`.
 */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly status: number;
  /** The address of a page about the refusal */
  readonly type: string;
  // the other half keeps titles that a later server adds, and the completion of those known now
  readonly title: ProblemTitle | "unexpected_answer" | (string & {});
  readonly detail: string;
  /** Quote it when you report a problem; null where the answer named none */
  readonly requestId: string | null;
  /** What was refused, field by field; empty where no field was at fault */
  readonly errors: readonly FieldError[];
  /** Scopes that the key lacks */
  readonly required: readonly string[];
  /** Seconds to wait before the same call can succeed; null where waiting is not what helps */
  readonly retryAfter: number | null;
  /** The whole body, with what only some refusals have */
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

/** No answer came: the connection failed or broke, or the time was up. `cause` is what `fetch` said. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly timedOut: boolean;

  constructor(call: string, timedOut: boolean, cause: unknown) {
    const told = timedOut ? "no answer in time" : "no answer";
    super(`${call}: ${told}${cause instanceof Error ? ` (${cause.message})` : ""}`, { cause });
    this.timedOut = timedOut;
  }
}

/** `Retry-After` is seconds from this API; a proxy's may be a date, for which the client's own pause has to do. */
function secondsOf(header: string | null): number | null {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : null;
}

/** The refusal that an answer is, whoever made it. */
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
