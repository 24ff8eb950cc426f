import { type Deadline, noDeadline } from "../platform/deadline.ts";
import { Problem, retryLater } from "../platform/problems.ts";

/**
 * Classifies DuckDB's errors [copy.out-of-memory]. The kind is only in the first words of the message, and after a
 * failed append behind a prefix.
 */

const retryAfterSeconds = 2;

/** The copy is unusable; it is deleted and rebuilt [copy.damaged]. */
export class BrokenCopy extends Error {}

const brokenForms =
  /^(IO Error|FATAL Error|INTERNAL Error|Serialization Error|TransactionContext Error: .*invalidated|Invalid Error: Corrupt)|database has been invalidated|Catalog "s_[0-9a-f]+" does not exist/i;
const memoryForms =
  /^Out of Memory Error|could not allocate block|failed to offload|max_temp_directory_size|No space left/i;
const interruptForms = /^INTERRUPT Error|Interrupted!/i;

export function duckProblem(error: unknown, deadline: Deadline = noDeadline): unknown {
  if (!(error instanceof Error) || error instanceof Problem || error instanceof BrokenCopy) return error;
  const message = error.message.replace(/^Failed to append: /, "");
  if (interruptForms.test(message) || deadline.expired) return new Problem("timeout", { cause: error });
  if (memoryForms.test(message)) return retryLater("dependency_unavailable", retryAfterSeconds, error);
  if (brokenForms.test(message)) return new BrokenCopy("a columnar copy cannot be read", { cause: error });
  return error;
}

/** Errors caused by a value that a statement could not process. */
const unfitForms = /^(Conversion|Out of Range|Invalid Input|Constraint|Parser) Error/i;

export const isUnfit = (error: unknown): boolean => error instanceof Error && unfitForms.test(error.message);
