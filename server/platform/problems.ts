import { type ErrorTitle, errorKinds, type FieldError, type ProblemBody } from "../../contract/errors.ts";
import { OperatorError, UsageError } from "./operator-error.ts";

/** The refusal of a request [api.problems]: a code, a public text, and a private cause for the log. */
export class Problem extends Error {
  readonly title: ErrorTitle;
  readonly extra: Partial<ProblemBody>;

  constructor(title: ErrorTitle, options: { detail?: string; extra?: Partial<ProblemBody>; cause?: unknown } = {}) {
    super(options.detail ?? errorKinds[title].detail, { cause: options.cause });
    this.title = title;
    this.extra = options.extra ?? {};
  }

  get status(): number {
    return errorKinds[this.title].status;
  }
}

export const notFound = () => new Problem("not_found");

/** A 422 that names one field by its dotted path. */
export const invalid = (field: string, message: string) => invalidFields([{ field, message }]);

export function invalidFields(errors: FieldError[], extra: Partial<ProblemBody> = {}): Problem {
  const [first] = errors;
  const detail = first ? `${first.field} ${first.message}` : errorKinds.validation_error.detail;
  return new Problem("validation_error", { detail, extra: { errors, ...extra } });
}

export const retryLater = (
  title: "rate_limited" | "limiter_unavailable" | "dependency_unavailable",
  seconds: number,
  cause?: unknown,
) => new Problem(title, { extra: { retry_after: seconds }, cause });

export function problemBody(problem: Problem, baseUrl: string, requestId: string): ProblemBody {
  return {
    type: `${baseUrl}/errors/${problem.title}`,
    title: problem.title,
    detail: problem.message,
    status: problem.status,
    request_id: requestId,
    ...problem.extra,
  };
}

/** Runs code shared with the command line for a request: its usage errors become errors of the body. */
export async function asProblem<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UsageError) throw invalid("body", error.message);
    if (error instanceof OperatorError) throw new Problem("conflict", { detail: error.message });
    throw error;
  }
}
