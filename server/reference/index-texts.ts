import { operations } from "../../contract/api.ts";
import type { Operation } from "../../contract/operation.ts";

/** The pages that link to the others, as Markdown. */

interface Listed {
  path: string;
  group: string | null;
  title: string;
  summary: string;
}

export function docsText(pages: readonly Listed[]): string {
  const cards = pages
    .filter(({ group }) => group === "Start here" || group === "Guides" || group === "Running it")
    .map(({ path, title, summary }) => `- [${title}](${path}). ${summary}`);
  return `# Documentation

What the API offers, how a shop embeds a quiz, and how the program is run. [The reference](/reference) has every operation,
[the errors](/errors) what is refused, [the rules](/docs/rules) say what is promised; programs read [/llms.txt](/llms.txt) and
[/openapi.json](/openapi.json).

${cards.join("\n")}
`;
}

export function referenceText(): string {
  const byTag = Map.groupBy(operations, ({ tag }: Operation) => tag);
  const sections = [...byTag].map(([tag, own]) => {
    const rows = own.map(
      ({ id, method, path, summary }) => `| [${summary}](/reference/${id}) | \`${method} ${path}\` |`,
    );
    return `## ${tag}\n\n| Operation | Address |\n|---|---|\n${rows.join("\n")}\n`;
  });
  return `# Reference

Every operation, with examples in curl, TypeScript and Python that run as they stand: set \`QUIZSTORE_URL\` and \`QUIZSTORE_KEY\`.
[The guide](/docs/integrators) tells what holds for all of them; [the errors](/errors) what is refused;
[openapi.json](/openapi.json) is the same for programs.

${sections.join("\n")}`;
}
