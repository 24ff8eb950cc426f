import type { Log } from "../platform/log.ts";

/** Sends letters with links, if SMTP_URL names a server [accounts.mail]. Nobody waits for a letter to be sent. */

export interface MailMessage {
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  send(letter: MailMessage): void;
  /** waits for letters that are being sent */
  close(): Promise<void>;
}

export interface MailSettings {
  smtpUrl: string;
  from: string;
  log: Pick<Log, "error">;
}

const giveUpMs = 20_000;

export async function openMailer({ smtpUrl, from, log }: MailSettings): Promise<Mailer> {
  // loaded on demand: most installations send no mail
  const { createTransport } = await import("nodemailer");
  const times = { connectionTimeout: giveUpMs, greetingTimeout: giveUpMs, socketTimeout: giveUpMs };
  const transport = createTransport({ url: smtpUrl, ...times }, { from });
  const underWay = new Set<Promise<unknown>>();
  return {
    send(letter) {
      // logs neither the address nor the server's message: both can identify a person
      const failed = (error: unknown) =>
        log.error({ code: (error as { code?: string }).code }, "a letter could not be sent");
      const sending: Promise<unknown> = transport.sendMail(letter).catch(failed);
      underWay.add(sending);
      void sending.finally(() => underWay.delete(sending));
    },
    async close() {
      await Promise.all(underWay);
      transport.close();
    },
  };
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
