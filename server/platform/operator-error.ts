/** A failure that the operator can fix: its message is shown as one line. */
export class OperatorError extends Error {}

/** An OperatorError that ends with its cause, because only the cause says what to fix. */
export const failedBecause = (sentence: string, cause: unknown): OperatorError =>
  new OperatorError(`${sentence}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });

/** Wrong usage, or a value that is wrong whatever the database contains: it has its own exit status. */
export class UsageError extends OperatorError {}

/**
 * A failure that stays until the operator changes something: it has its own exit status, so that a service manager does
 * not start the program again and again [operations.lasting-failures].
 */
export class LastingError extends OperatorError {}
