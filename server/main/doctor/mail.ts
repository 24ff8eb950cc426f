import { checkMail } from "../../accounts/mail.ts";
import { fail, ok, type Seen } from "./findings.ts";

export async function inspectMail(smtpUrl: string | null): Promise<Seen> {
  if (smtpUrl === null) return ok("SMTP_URL is not set: links are shown, and nothing is mailed");
  const failure = await checkMail(smtpUrl);
  if (failure === null) return ok("the mail server answers, and takes letters from here");
  return fail(
    `the mail server takes no letters: ${failure.reason}`,
    "correct SMTP_URL; docs/operations.md has its forms, for encryption and certificates too",
  );
}
