import type { Rule } from "./rule-citations.ts";

/** The last section of `docs/architecture.md`: each rule with the files whose comments cite it. */

const heading = "## Each rule, and the files that keep it";

const introduction = `As the comments of the code name them; written by \`npm run rules -- --write\`. What a rule says stands in its area's page of
[rules/](rules/README.md).`;

const withoutLine = (place: string): string => place.replace(/:\d+$/, "");

/** @param code citations of each rule as `path:line`, by the rule's name */
export function indexOfRules(rules: readonly Rule[], code: ReadonlyMap<string, readonly string[]>): string {
  const lines = rules.map(({ name }) => {
    const files = new Set((code.get(name) ?? []).map(withoutLine));
    return `- \`${name}\`: ${[...files].map((file) => `\`${file}\``).join(", ")}`;
  });
  return [heading, "", introduction, "", ...lines, ""].join("\n");
}

/** The page without the list. */
export function withoutIndex(page: string): string {
  const start = page.indexOf(`${heading}\n`);
  return start < 0 ? page : page.slice(0, start);
}

/** The page with its list replaced by `index`. */
export function withIndex(page: string, index: string): string {
  return `${withoutIndex(page).trimEnd()}\n\n${index}`;
}
