import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ColumnName, columns, type Told, type ToldRow } from "./exported-answers.ts";

/** The recipes of the guide, and the cells that programs have after them. */

const guide = await readFile(join(import.meta.dirname, "../../docs/exports.md"), "utf8");

/** The blocks of code under a heading of the guide. */
export function codeOf(heading: string): string[] {
  const from = guide.indexOf(`\n### ${heading}\n`);
  if (from < 0) throw new Error(`the guide has no recipe for ${heading}`);
  const section = guide.slice(from + 5, guide.indexOf("\n##", from + 5));
  return [...section.matchAll(/\n```\w+\n(.*?)```/gs)].map(([, code = ""]) => code);
}

const number = (text: string): string => String(Number(text));
export const instant = (text: string): string =>
  new Date(`${text.replace(" ", "T").replace(/(?:Z|\+00(?::00)?)$/, "")}Z`).toISOString();

/** What a program has in its cells, in the one form: nothing is an empty text for many. */
export function toldRows(found: readonly Record<string, unknown>[], names = Object.keys(columns)): ToldRow[] {
  return found.map((row) =>
    Object.fromEntries(names.map((name) => [name, told(columns[name as ColumnName], row[name])])),
  );
}

function told(type: (typeof columns)[ColumnName], value: unknown): Told {
  if (value === undefined || value === null || value === "") return null;
  const text = value instanceof Date ? value.toISOString() : String(value);
  if (type === "number") return number(text);
  if (type === "boolean") return text === "1" ? "true" : text.toLowerCase();
  if (type === "instant") return instant(text.replaceAll("/", "-"));
  return type === "date" ? text.replaceAll("/", "-").slice(0, "YYYY-MM-DD".length) : text;
}

/** Whether a program or a library of its is not installed, or npm's registry out of reach. */
export const isAbsent = (error: Error & { stderr?: string }): boolean =>
  /command not found|No module named|no package called|not found: |ENOTFOUND|EAI_AGAIN/.test(
    `${error.message} ${error.stderr}`,
  );

export const sayAbsent = ({ message }: Error): void =>
  void process.stderr.write(`absent: ${message.split("\n").slice(0, 3).join(" ")}\n`);
