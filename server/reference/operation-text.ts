import type { TSchema } from "typebox";
import { type ErrorTitle, errorKinds } from "../../contract/errors.ts";
import { costs } from "../../contract/limits.ts";
import { commonProblems, type Operation } from "../../contract/operation.ts";
import { examplesOf } from "./examples.ts";
import { rowsOf, type Shape, textOf, typeOf } from "./shape-rows.ts";

/** An operation's page, as Markdown: its request, answers and errors. */

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

function parameters({ params, query }: Operation): string {
  const parameterRows = (place: string, shape: TSchema | undefined) => {
    const { properties = {}, required = [] } = (shape ?? {}) as Shape;
    return Object.entries(properties).map(([name, field]) => [
      `\`${name}\``,
      place,
      typeOf(field),
      [required.includes(name) ? "**needed**" : "", textOf(field)].filter(Boolean).join(". "),
    ]);
  };
  const rows = [...parameterRows("path", params), ...parameterRows("query", query)];
  return rows.length === 0 ? "" : `## Parameters\n\n${table(["Name", "In", "Type", "Meaning"], rows)}\n`;
}

function fields(shape: TSchema): string {
  const rows = rowsOf(shape as Shape).map(({ path, type, required, text }) => [
    `\`${path}\``,
    type,
    [required ? "" : "may be absent", text].filter(Boolean).join("; "),
  ]);
  return rows.length === 0 ? "" : `${table(["Field", "Type", "Meaning"], rows)}\n`;
}

function body({ body: shape }: Operation): string {
  return shape === undefined ? "" : `## Body\n\nJSON. Fields that are not listed are refused.\n\n${fields(shape)}`;
}

function answer({ answer: { status, shape, example, location } }: Operation): string {
  if (status === 204) return "## Answer\n\n`204`, without a body.\n";
  const where = location ? ` \`Location\`: ${location}.` : "";
  const shown = JSON.stringify(example, null, 2);
  return `## Answer\n\n\`${status}\`.${where} New fields may come: ignore those that you do not know.\n\n\`\`\`json\n${shown}\n\`\`\`\n\n${fields(shape)}`;
}

function refusals(operation: Operation): string {
  const titles = new Set<ErrorTitle>([...commonProblems(operation), ...(operation.problems ?? [])]);
  const rows = [...titles]
    .map((title) => ({ title, ...errorKinds[title] }))
    .sort((a, b) => a.status - b.status)
    .map(({ title, status, detail }) => [String(status), `[\`${title}\`](/errors/${title})`, detail]);
  return `## Refusals\n\n${table(["Status", "Title", "Meaning"], rows)}\n`;
}

function examples(operation: Operation): string {
  const blocks = examplesOf(operation).map(
    ({ language, mark, code }) => `### ${language}\n\n\`\`\`${mark}\n${code}\n\`\`\`\n`,
  );
  return `## Examples\n\n${blocks.join("\n")}`;
}

export function operationText(operation: Operation): string {
  const { method, path, scope, cost, summary, description } = operation;
  const units = costs[cost] === 1 ? "1 unit" : `${costs[cost]} units`;
  const needs = scope === null ? "any key" : `a key with the scope \`${scope}\``;
  return [
    `# ${summary}\n`,
    `\`${method} ${path}\`, with ${needs}; costs ${units}.\n`,
    ...(description ? [`${description}\n`] : []),
    examples(operation),
    parameters(operation),
    body(operation),
    answer(operation),
    refusals(operation),
  ]
    .filter(Boolean)
    .join("\n");
}
