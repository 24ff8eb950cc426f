import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Structured logs, one JSON object per line [operations.logs]. Only safe parts of an error are written: a driver's
 * error also contains the values of the row it failed on, which may be somebody's contact details.
 */
export function openLog(level: LogLevel, destination: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: errorFields },
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}

/** Logs the warnings of Node and of libraries, which Node would print as text. Returns a function that ends it. */
export function logWarnings(log: Pick<Log, "warn">): () => void {
  const printers = process.listeners("warning");
  const hear = (warning: Error) => log.warn({ err: warning }, "a warning of Node or of a library");
  process.removeAllListeners("warning");
  process.on("warning", hear);
  return () => {
    process.off("warning", hear);
    for (const printer of printers) process.on("warning", printer);
  };
}

/** DuckDB errors have no codes: the kind of error precedes a message that quotes values and lines. */
const duckKind = /^(?:[A-Za-z]+ ){1,3}Error(?=:|!)/;

/**
 * A database error quotes values of rows, a parser's the text it could not read: code and position are enough
 * [people.not-logged].
 */
function publicMessage(error: Error, fromDatabase: boolean): string {
  if (fromDatabase) return "database error";
  const kind = duckKind.exec(error.message)?.[0];
  if (kind !== undefined) return kind;
  return error instanceof SyntaxError ? "malformed text" : error.message;
}

/** Fields that the database adds to its errors. */
type DatabaseErrorFields = Record<"code" | "severity" | "table" | "constraint" | "column" | "routine", unknown>;

function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: "a value that is no error was thrown" };
  const { code, severity, table, constraint, column, routine } = error as Error & Partial<DatabaseErrorFields>;
  const cause = error.cause === undefined ? undefined : errorFields(error.cause);
  const message = publicMessage(error, severity !== undefined);
  const frames = error.stack?.split("\n").filter((line) => line.startsWith("    at "));
  return { type: error.name, message, code, table, constraint, column, routine, cause, stack: frames?.join("\n") };
}
