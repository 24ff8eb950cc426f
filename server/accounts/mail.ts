import type { Log } from "../platform/log.ts";
import { type MailFailure, mailFailure } from "./mail-failure.ts";

/** Sends letters with links, if SMTP_URL names a server [accounts.mail, accounts.mailed]. */

export interface MailMessage {
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /** Whether the server accepted the letter; never rejects. A caller need not wait: `close` does. */
  send(letter: MailMessage): Promise<Sent>;
  /** waits for letters that are being sent */
  close(): Promise<void>;
}

export type Sent = { accepted: true } | ({ accepted: false } & MailFailure);

export interface MailSettings {
  smtpUrl: string;
  from: string;
  log: Pick<Log, "error">;
}

const giveUpMs = 20_000;

async function openTransport(smtpUrl: string, from?: string) {
  // loaded on demand: most installations send no mail
  const { createTransport } = await import("nodemailer");
  const times = { connectionTimeout: giveUpMs, greetingTimeout: giveUpMs, socketTimeout: giveUpMs };
  // Nobody can pose as a server on this machine, whose certificate is usually one of its own making
  const trust = isOnThisMachine(smtpUrl) ? { tls: { rejectUnauthorized: false } } : {};
  return createTransport({ url: smtpUrl, ...times, ...trust }, from === undefined ? {} : { from });
}

function isOnThisMachine(smtpUrl: string): boolean {
  const { hostname, searchParams } = new URL(smtpUrl);
  return /^(localhost|127(\.\d+){3}|\[::1\])$/i.test(hostname) && !searchParams.has("tls.rejectUnauthorized");
}

export async function openMailer({ smtpUrl, from, log }: MailSettings): Promise<Mailer> {
  const transport = await openTransport(smtpUrl, from);
  const underWay = new Set<Promise<unknown>>();
  const failed = (error: unknown): Sent => {
    // neither the address nor the server's message, since both can identify a person
    const failure = mailFailure(error);
    log.error({ ...failure }, "a letter could not be sent");
    return { accepted: false, ...failure };
  };
  return {
    send(letter) {
      const sending = transport.sendMail(letter).then((): Sent => ({ accepted: true }), failed);
      underWay.add(sending);
      void sending.finally(() => underWay.delete(sending));
      return sending;
    },
    async close() {
      await Promise.all(underWay);
      transport.close();
    },
  };
}

/** Connects and signs in as for a letter; null: the server would take one from here. */
export async function checkMail(smtpUrl: string): Promise<MailFailure | null> {
  const transport = await openTransport(smtpUrl);
  try {
    await transport.verify();
    return null;
  } catch (error) {
    return mailFailure(error);
  } finally {
    transport.close();
  }
}

/** Keeps a name from ending a line in a subject or a sentence. */
const onOneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();

/** @param lasts how long the link is valid, in words */
export const signInMail = (to: string, url: string, lasts: "an hour" | "a day"): MailMessage => ({
  to,
  subject: "Your link to sign in to Quiz Store",
  text: [
    "Somebody, probably you, asked for a link to sign in to Quiz Store:",
    "",
    url,
    "",
    `It can be used once, within ${lasts}. If it was not you, ignore this mail: without the link nobody can sign in.`,
    "",
  ].join("\n"),
});

export const invitationMail = (to: string, url: string, { by, store }: { by: string | null; store: string | null }) => {
  const from = by === null ? "You are invited" : `${onOneLine(by)} invites you`;
  const where = store === null ? "Quiz Store" : onOneLine(store);
  return {
    to,
    subject: `An invitation to ${where}`,
    text: [
      store === null ? `${from} to run Quiz Store:` : `${from} to the quizzes of ${where}:`,
      "",
      url,
      "",
      "The link can be used once, within seven days.",
      "",
    ].join("\n"),
  };
};
