import { Problem, retryLater } from "../problems.ts";

/**
 * Which errors of the driver mean that the database is away, and which that the time is up [api.request-time,
 * api.dependencies].
 */

/** SQLSTATE classes and codes of a server that cannot serve now: it is starting, stopping, full or read-only. */
const readOnly = "25006";
const statementEnded = "57014";
const away = /^(08...|57P0[1-4]|53...|25006|58...|XX00[01])$/;
const awayMessages = [
  "Connection terminated",
  "Client has encountered a connection error",
  "timeout exceeded when trying to connect",
  "timeout expired",
  // a new connection's first statement, behind a pooler whose pool is in use
  "Query read timeout",
  "Cannot use a pool after calling end",
  "Client was closed",
];
const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EACCES",
]);
const retryAfterSeconds = 2;

interface DriverError {
  code?: unknown;
  message?: unknown;
  severity?: unknown;
}

export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, message } = error as DriverError;
  if (typeof code === "string" && (away.test(code) || networkCodes.has(code))) return true;
  return typeof message === "string" && awayMessages.some((start) => message.startsWith(start));
}

/**
 * Whether the connection must not be used again after this error. A server that ends a connection says FATAL; an ERROR
 * may come from another server, such as a cluster's worker that the coordinator could not reach. A read-only server is
 * left nevertheless, because after a fail-over its name may lead to another one. So is a server that timed out a
 * statement: a coordinator reports that, and may then take forever to end the statement on a hanging node.
 */
export function losesConnection(error: unknown): boolean {
  const { severity, code } = error as DriverError;
  if (code === statementEnded) return true;
  if (!isDatabaseAway(error)) return false;
  return severity !== "ERROR" || code === readOnly;
}

/**
 * A lock time-out (`lock_timeout`), a deadlock or a serialisation failure: a retry may succeed.
 *
 * @param error the driver's, or the problem made from it
 */
export function isContention(error: unknown): boolean {
  const failure = error instanceof Problem ? error.cause : error;
  return failure instanceof Error && ["55P03", "40P01", "40001"].includes(String((failure as DriverError).code));
}

/** The problem for a driver's error, or null for an error of our own making. */
export function databaseProblem(error: unknown, expired: boolean): Problem | null {
  if (error instanceof Problem) return error;
  const code = error instanceof Error ? (error as DriverError).code : undefined;
  if (code === statementEnded || expired) return new Problem("timeout", { cause: error });
  if (isDatabaseAway(error)) return retryLater("dependency_unavailable", retryAfterSeconds, error);
  if (isContention(error)) return retryLater("dependency_unavailable", retryAfterSeconds, error);
  return null;
}
