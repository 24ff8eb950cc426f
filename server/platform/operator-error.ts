/** A failure that whoever runs the program can do something about: it is told in one line, in these words. */
export class OperatorError extends Error {}

/** One whose sentence ends with what lies behind it: only that tells what is to be mended. */
export const failedBecause = (sentence: string, cause: unknown): OperatorError =>
  new OperatorError(`${sentence}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });

/** Wrong usage, or a value that is wrong whatever the database holds: another exit status. */
export class UsageError extends OperatorError {}
