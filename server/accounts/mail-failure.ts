/** Why a letter was not accepted, without anything that the server said, which may name a person [accounts.mailed]. */
export interface MailFailure {
  /** one sentence for operators */
  reason: string;
  /** the library's, such as ETLS */
  code: string | null;
  /** the server's reply code, such as 550 */
  response: number | null;
  /** the server's enhanced status, such as 5.1.1 */
  status: string | null;
}

/** Failures before the server has been told of a person: their messages are Node's own. */
const beforeLetter = new Set(["ECONNECTION", "ETIMEDOUT", "ESOCKET", "EDNS", "ETLS"]);

const meanings: Readonly<Record<string, string>> = {
  EAUTH: "user or password is refused",
  ENOAUTH: "it wants a user and a password",
  EENVELOPE: "it refuses the sender or the recipient",
};

export function mailFailure(error: unknown): MailFailure {
  const { code, message, response, responseCode, command } = error as Record<string, unknown>;
  const failure = {
    code: typeof code === "string" ? code : null,
    response: typeof responseCode === "number" ? responseCode : null,
    status: /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(String(response ?? ""))?.[1] ?? null,
  };
  const isAboutConnection = failure.code !== null && beforeLetter.has(failure.code) && response === undefined;
  return { reason: isAboutConnection ? connectionWords(String(message)) : replyWords(failure, command), ...failure };
}

const connectionWords = (message: string): string =>
  /certificate|altnames/i.test(message) ? `its certificate is not trusted: ${message}` : message;

/** @param command the step that was refused, such as RCPT TO */
function replyWords({ code, response, status }: Omit<MailFailure, "reason">, command: unknown): string {
  const meaning = (code && meanings[code]) ?? "it did not accept the letter";
  if (response === null) return meaning;
  const step = typeof command === "string" && /^[A-Z]{2,12}( [A-Z]{2,12})?$/.test(command) ? ` to ${command}` : "";
  return `${meaning} (${response}${status === null ? "" : ` ${status}`}${step})`;
}
