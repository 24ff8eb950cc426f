import type { Command } from "commander";
import {
  type CommandDeps,
  type CommandRunner,
  type CommonOptions,
  withCommonOptions,
} from "../platform/command-line/commands.ts";
import { invitationMail, type Mailer, type MailMessage, signInMail } from "./mail.ts";
import { disableUser, enableUser, type InviteOptions, inviteUser, listUsers, loginLink } from "./users.ts";

/** Commands for the people who sign in to the dashboard. */

interface UserCommandDeps extends CommandDeps {
  /** null: no mail is sent */
  mailer: Mailer | null;
}

export interface UserCommandRunner extends Pick<CommandRunner, "runInTransaction"> {
  run(options: CommonOptions, work: (deps: UserCommandDeps) => Promise<unknown>): Promise<void>;
}

export function addUserCommands(program: Command, { run, runInTransaction }: UserCommandRunner): void {
  const user = program.command("user").description("people who sign in: invite, login-link, list, disable, enable");
  withCommonOptions(user.command("invite").argument("<email>"))
    .description("make a link that invites somebody to a store, or to be an operator; mailed too where SMTP_URL is set")
    .option("--store <store>", "id or shop domain")
    .option("--role <role>", "owner, editor or analyst")
    .option("--operator", "sees every store, and makes new ones")
    .action((email: string, options: CommonOptions & InviteOptions) =>
      run(options, async (deps) => {
        const made = await deps.database.transaction((tx) => inviteUser(tx, accountDeps(deps), email, options));
        const letter = invitationMail(made.email, made.url, { by: null, store: made.store });
        return { ...made, ...(await mailedAs(deps.mailer, letter)) };
      }),
    );
  withCommonOptions(user.command("login-link").argument("<email>"))
    .description("make a link that signs somebody in, once within a day; mailed too where SMTP_URL is set")
    .option("--without-totp", "removes the authenticator app, for somebody who lost it")
    .option(
      "--without-identity",
      "removes the connection to the identity provider, for somebody with a new account there",
    )
    .action((email: string, options: CommonOptions & { withoutTotp?: boolean; withoutIdentity?: boolean }) =>
      run(options, async (deps) => {
        const made = await deps.database.transaction((tx) => loginLink(tx, accountDeps(deps), email, options));
        return { ...made, ...(await mailedAs(deps.mailer, signInMail(made.email, made.url, "a day"))) };
      }),
    );
  withCommonOptions(user.command("list"))
    .description("list the users, with their stores and roles")
    .action((options: CommonOptions) => run(options, ({ database }) => listUsers(database.reader())));
  withCommonOptions(user.command("disable").argument("<email>"))
    .description("disable a user: ends their sessions and links at once")
    .action((email: string, options: CommonOptions) =>
      runInTransaction(options, (tx, deps) => disableUser(tx, accountDeps(deps), email)),
    );
  withCommonOptions(user.command("enable").argument("<email>"))
    .description("enable a disabled user")
    .action((email: string, options: CommonOptions) =>
      runInTransaction(options, (tx, deps) => enableUser(tx, accountDeps(deps), email)),
    );
}

/** `mailed` once the mail server has accepted the letter; otherwise why not, if there is a server. */
async function mailedAs(
  mailer: Mailer | null,
  letter: MailMessage,
): Promise<{ mailed: boolean; mail_problem?: string }> {
  const sent = await mailer?.send(letter);
  if (!sent) return { mailed: false };
  return sent.accepted ? { mailed: true } : { mailed: false, mail_problem: sent.reason };
}

const accountDeps = (deps: CommandDeps) => ({ ...deps, baseUrl: deps.config.baseUrl });
