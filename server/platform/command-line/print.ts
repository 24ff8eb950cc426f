import { OperatorError } from "../operator-error.ts";
import { Problem } from "../problems.ts";

/**
 * Prints a command's result: one JSON document with --json, else lines for people [command-line.output]. Nothing else
 * goes to standard output.
 */

export function printResult(result: unknown, json: boolean): void {
  process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : forPeople(result));
}

/** Characters that end a line or control a terminal. */
const commanding = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/**
 * Makes names, files and arguments safe to print: others wrote them, so they must neither end the line nor control the
 * terminal.
 */
export const onOneLine = (text: string): string =>
  text.replaceAll(/[\s\p{Cc}]+/gu, (blanks) => (commanding.test(blanks) ? " " : blanks));

export function forPeople(result: unknown): string {
  if (Array.isArray(result)) return result.length === 0 ? "none\n" : table(result as Record<string, unknown>[]);
  const entries = Object.entries(result as Record<string, unknown>);
  const width = Math.max(...entries.map(([name]) => name.length));
  const lines = entries.map(
    ([name, value]) => `${name.padEnd(width)}  ${isTable(value) ? value.length : cell(value)}\n`,
  );
  const tables = entries.flatMap(([name, value]) => (isTable(value) ? [`\n${name}\n${table(value)}`] : []));
  return [...lines, ...tables].join("");
}

const isTable = (value: unknown): value is Record<string, unknown>[] =>
  Array.isArray(value) && value.length > 0 && value.every((row) => row !== null && typeof row === "object");

function table(rows: Record<string, unknown>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const cells = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const line = (row: string[]) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return `${cells.map(line).join("\n")}\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (Array.isArray(value) && value.length === 0) return "none";
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return onOneLine(value.join(","));
  return onOneLine(typeof value === "object" ? JSON.stringify(value) : String(value));
}

const barWidth = 30;

/** A progress bar on standard error: redrawn in place on a terminal, elsewhere a line for every tenth. */
export class Progress {
  readonly #label: string;
  readonly #total: number;
  readonly #stream: NodeJS.WriteStream;
  #shown = -1;

  constructor(label: string, total: number, stream: NodeJS.WriteStream = process.stderr) {
    this.#label = label;
    this.#total = total;
    this.#stream = stream;
  }

  update(done: number, note = ""): void {
    const percent = this.#total === 0 ? 100 : Math.floor((done * 100) / this.#total);
    const step = this.#stream.isTTY ? percent : Math.floor(percent / 10);
    if (step === this.#shown) return;
    this.#shown = step;
    const filled = Math.floor((percent * barWidth) / 100);
    const bar = "#".repeat(filled).padEnd(barWidth, ".");
    const line = `${this.#label} [${bar}] ${String(percent).padStart(3)} %${note ? `  ${note}` : ""}`;
    this.#stream.write(this.#stream.isTTY ? `\r\x1b[K${line}${percent === 100 ? "\n" : ""}` : `${line}\n`);
  }
}

/** An error in one line for the person at the terminal: an OperatorError's text, else the error's message. */
export function sentenceOf(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (error instanceof Problem && error.title === "dependency_unavailable")
    return `the database cannot be reached${because(error)}`;
  return error instanceof Error ? error.message + because(error) : "unknown failure";
}

const because = (error: Error): string => (error.cause instanceof Error ? `: ${error.cause.message}` : "");
