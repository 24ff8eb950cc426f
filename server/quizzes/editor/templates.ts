import { readFileSync } from "node:fs";
import { join } from "node:path";
import { templateIds } from "../../../contract/editor.ts";
import type { QuizDocument } from "../../../engine/document.ts";

/** Templates for new quizzes: the files in `templates/`, each a complete document that could be published. */

export interface Template {
  template_id: (typeof templateIds)[number];
  name: string;
  description: string;
  /** name of a quiz created from it */
  newName: string;
  document: QuizDocument;
}

export const templates: readonly Template[] = templateIds.map((template_id) => {
  const file = join(import.meta.dirname, "templates", `${template_id}.json`);
  return { template_id, ...(JSON.parse(readFileSync(file, "utf8")) as Omit<Template, "template_id">) };
});

export function templateNamed(id: Template["template_id"]): Template {
  const found = templates.find(({ template_id }) => template_id === id);
  if (!found) throw new Error(`there is no template ${id}`);
  return found;
}
