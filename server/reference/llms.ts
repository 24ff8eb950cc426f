import { groups, type Library, type Page } from "./library.ts";

/** The documentation for programs that read text: a list of pages, and everything that integrators need in one text. */

const introduction = `# Quiz Store

> Product quizzes for shops: shoppers take them in a shop's own pages; merchants and their integrators read people, answers,
> orders and figures through a REST API under /v1, with keys, scopes, rate limits and webhooks.

Every request to /v1 carries \`Authorization: Bearer svc_live_...\`. Refusals are RFC 9457 problems whose \`title\` is what
programs branch on. Each page below is Markdown; the same address without \`.md\` is for people. \`/openapi.json\` has every
operation, \`@quizstore/client\` calls them from TypeScript.
`;

export function llmsList(library: Library, baseUrl: string): string {
  const line = ({ path, title, summary }: Page) => `- [${title}](${baseUrl}${path}.md): ${summary}`;
  const sections = groups.map((group) => {
    // by convention, readers with little context skip sections called "Optional"
    const heading = group === "Rules" || group === "Running it" ? `Optional: ${group}` : group;
    return `## ${heading}\n\n${library.pages
      .filter((page) => page.group === group)
      .map(line)
      .join("\n")}\n`;
  });
  const more = `## Machine-readable\n\n- [OpenAPI 3.1](${baseUrl}/openapi.json): every operation, shape, refusal and event\n- [All of it in one text](${baseUrl}/llms-full.txt): guides and reference\n`;
  return [introduction, ...sections, more].join("\n");
}

export function llmsFull(library: Library, baseUrl: string): string {
  const included = library.pages.filter(({ group }) => group !== "Rules" && group !== "Running it");
  const texts = included.map(({ path, markdown }) => `<!-- ${baseUrl}${path} -->\n\n${markdown.trim()}\n`);
  return [introduction, ...texts].join("\n---\n\n");
}
