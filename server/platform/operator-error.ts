/** A failure that whoever runs the program can do something about: it is told in one line, in these words. */
export class OperatorError extends Error {}

/** Wrong usage, or a value that is wrong whatever the database holds: another exit status. */
export class UsageError extends OperatorError {}
