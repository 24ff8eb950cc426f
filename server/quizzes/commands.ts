import { Argument, type Command } from "commander";
import type { Finding } from "../../engine/lint.ts";
import {
  type CommandRunner,
  type CommonOptions,
  idArgument,
  numberOption,
  withCommonOptions,
} from "../platform/command-line/commands.ts";
import { readJsonFile } from "../platform/command-line/files.ts";
import { onOneLine, printResult } from "../platform/command-line/print.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { storeNamed } from "../stores/public.ts";
import { aiRunEnd, aiRunStart } from "./ai-lease.ts";
import { exportQuiz, inTimeOfQuiz, keyKindsOf, lintFile, quizHistory } from "./operators.ts";
import { previewLink } from "./previews.ts";
import { importQuiz } from "./public.ts";

interface ImportOptions extends CommonOptions {
  store: string;
  quiz?: string;
  name?: string;
  publish?: boolean;
  admin?: string;
}

export const inWords = ({ severity, path, message, code }: Finding): string =>
  `${severity}: ${path === "" ? "the document" : onOneLine(path)} ${onOneLine(message)} (${code})\n`;

const quizId = (text: string): string => idArgument("quiz", text, "a quiz");
const versionId = (text: string): string => idArgument("ver", text, "a version");

export function addQuizCommands(program: Command, { run, runInTransaction }: CommandRunner): void {
  const quiz = program.command("quiz").description("quizzes: import, export, history, lint, preview, ai-run");
  withCommonOptions(quiz.command("import").argument("<file>", "a quiz document, or what quiz export prints"))
    .description("make a quiz from a file, or replace a quiz's draft")
    .requiredOption("--store <store>", "id or shop domain")
    .option("--quiz <quiz_id>", "the quiz whose draft is replaced")
    .option("--name <name>")
    .option("--publish", "save the draft as a version and publish it")
    .option("--admin <email>", "whose account it is recorded under")
    .action((file: string, options: ImportOptions) =>
      runInTransaction(options, async (tx, opened) => {
        const store = await storeNamed(tx, options.store);
        const given = {
          document: await readJsonFile(file),
          quizId: options.quiz === undefined ? undefined : quizId(options.quiz),
          name: options.name,
          publish: options.publish ?? false,
          admin: options.admin,
        };
        return opened.calendar.within(store, () => importQuiz(tx, opened, store.id, given));
      }),
    );
  withCommonOptions(quiz.command("export").argument("<quiz_id>"))
    .description("print a quiz's name and draft as JSON, in the form that quiz import takes")
    .action((quiz: string, options: CommonOptions) =>
      run({ ...options, json: true }, ({ database }) => exportQuiz(database.reader(), quizId(quiz))),
    );
  withCommonOptions(quiz.command("history").argument("<quiz_id>"))
    .description("who saved, published and changed a quiz, newest first")
    .action((quiz: string, options: CommonOptions) =>
      run(options, ({ database }) => quizHistory(database.reader(), quizId(quiz))),
    );
  withCommonOptions(quiz.command("lint").argument("<file>"))
    .description("errors and warnings of a quiz document; exit status 1 with an error")
    .option("--quiz <quiz_id>", "the quiz whose next version it will be: its keys must keep their meaning")
    .action(async (file: string, options: CommonOptions & { quiz?: string }) => {
      const { quiz: of } = options;
      let kinds: Awaited<ReturnType<typeof keyKindsOf>> = [];
      if (of !== undefined) {
        await run(options, async ({ database }) => {
          kinds = await keyKindsOf(database.reader(), quizId(of));
        });
      }
      const findings = await lintFile(await readJsonFile(file), kinds);
      if (options.json) printResult(findings, true);
      else process.stdout.write(findings.length === 0 ? "no problems found\n" : findings.map(inWords).join(""));
      const errors = findings.filter(({ severity }) => severity === "error").length;
      if (errors > 0) throw new OperatorError(`${file} has ${errors} ${errors === 1 ? "error" : "errors"}, see above`);
    });
  addPreviewCommand(quiz, run);
  withCommonOptions(
    quiz
      .command("ai-run")
      .addArgument(new Argument("<action>").choices(["start", "end"]))
      .argument("<quiz_id>"),
  )
    .option("--holder <name>", "who runs the assistant, shown to those who wait for it")
    .description("begin, renew or end a run of the AI assistant: meanwhile the quiz cannot be changed from outside")
    .action((action: "start" | "end", quiz: string, options: CommonOptions & { holder?: string }) =>
      runInTransaction(options, (tx, opened) =>
        inTimeOfQuiz(tx, opened.calendar, quizId(quiz), () =>
          action === "start" ? aiRunStart(tx, opened, quizId(quiz), options.holder) : aiRunEnd(tx, quizId(quiz)),
        ),
      ),
    );
}

const longestPreviewHours = 30 * 24;

/** Anybody with the link sees the quiz, and is not counted [storefront.previews]. */
function addPreviewCommand(quiz: Command, run: CommandRunner["run"]): void {
  withCommonOptions(quiz.command("preview").argument("<quiz_id>"))
    .description("print a link that shows a quiz's draft to people without an account; nothing they do counts")
    .option("--version <version_id>", "a saved version in place of the draft")
    .option("--hours <n>", "how long the link holds", "72")
    .action((of: string, options: CommonOptions & { version?: string; hours: string }) =>
      run(options, ({ database, secrets, calendar, config: { baseUrl } }) => {
        const db = database.reader();
        const shown = {
          quiz: quizId(of),
          version: options.version === undefined ? undefined : versionId(options.version),
          hours: numberOption("hours", options.hours, longestPreviewHours),
        };
        return inTimeOfQuiz(db, calendar, shown.quiz, () =>
          previewLink(db, { secrets, baseUrl, now: calendar.now() }, shown),
        );
      }),
    );
}
