import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Structured logs, one JSON object a line. Only the parts of an error that are ours are written: a driver's error also
 * carries the values of the row it failed on, which may be somebody's contact details.
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

function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: "a value that is no error was thrown" };
  const { code, severity, table, constraint, column, routine } = error as unknown as Record<string, unknown>;
  const cause = error.cause === undefined ? undefined : errorFields(error.cause);
  // the message of a database error quotes values of rows; its code and place say enough
  const message = severity === undefined ? error.message : "database error";
  const frames = error.stack?.split("\n").filter((line) => line.startsWith("    at "));
  return { type: error.name, message, code, table, constraint, column, routine, cause, stack: frames?.join("\n") };
}
