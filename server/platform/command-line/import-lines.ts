import { OperatorError } from "../operator-error.ts";
import type { CommandDeps, CommandRunner, CommonOptions } from "./commands.ts";
import { readNdjsonFile } from "./files.ts";
import { sentenceOf } from "./print.ts";

/**
 * The result of importing a file line by line [command-line.imports]. A line that cannot be imported is reported and
 * does not stop the others. What stops an import (the database is away) leaves the lines before it imported. The file
 * can be imported again: known lines change nothing.
 */

interface RefusedLine {
  line: number;
  detail: string;
}

/** How many refused lines are listed; the count covers all. */
const namedAtMost = 1_000;

export class ImportedLines {
  taken = 0;
  #refused = 0;
  readonly #named: RefusedLine[] = [];

  refuse(line: number, detail: string): void {
    this.#refused += 1;
    if (this.#named.length < namedAtMost) this.#named.push({ line, detail });
  }

  /** Appended to a command's result. */
  get report(): ImportReport {
    const refused = this.#named.toSorted((a, b) => a.line - b.line);
    return { lines: { taken: this.taken, refused: this.#refused }, refused };
  }

  stoppedBy(error: unknown): OperatorError {
    const before = `${this.taken} lines were taken and ${this.#refused} refused before`;
    return new OperatorError(
      `the import was stopped: ${sentenceOf(error)}; ${before}, import the file again to go on`,
      {
        cause: error,
      },
    );
  }
}

export interface ImportReport {
  lines: { taken: number; refused: number };
  refused: readonly RefusedLine[];
}

/** Exits with status 1 if a line was refused, because a script that continues after an import has to know. */
export async function runImport(
  { run }: Pick<CommandRunner, "run">,
  options: CommonOptions,
  work: (deps: CommandDeps) => Promise<ImportReport>,
): Promise<void> {
  let refusal = "";
  await run(options, async (deps) => {
    const result = await work(deps);
    const { lines } = result;
    const [first] = result.refused;
    if (first) {
      const summary = `${lines.refused} of ${lines.taken + lines.refused} lines were refused, the others were taken`;
      refusal = `${summary}; the first is line ${first.line}: ${first.detail}`;
    }
    return result;
  });
  if (refusal !== "") throw new OperatorError(refusal);
}

interface ImportedGroup {
  /** by their index in the group, from 0 */
  refused: readonly { index: number; detail: string }[];
}

/** Reads a file and imports its lines in groups. `parse` reads one line. */
export async function importInGroups<Done extends ImportedGroup>(
  { file, atOnce, parse }: { file: string; atOnce: number; parse: (text: string) => unknown },
  importGroup: (values: unknown[]) => Promise<Done>,
): Promise<{ done: Done[]; report: ImportReport }> {
  const lines = new ImportedLines();
  const done: Done[] = [];
  let waiting: { line: number; value: unknown }[] = [];
  const importWaiting = async (): Promise<void> => {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    const outcome = await importGroup(group.map(({ value }) => value)).catch((error: unknown) => {
      throw lines.stoppedBy(error);
    });
    done.push(outcome);
    lines.taken += group.length - outcome.refused.length;
    for (const { index, detail } of outcome.refused) lines.refuse(group[index]?.line ?? 0, detail);
  };
  for await (const each of readNdjsonFile(file, parse)) {
    if ("refused" in each) lines.refuse(each.line, each.refused);
    else waiting.push(each);
    if (waiting.length >= atOnce) await importWaiting();
  }
  await importWaiting();
  return { done, report: lines.report };
}
