import { checkDocument } from "../engine/check.ts";
import { sampleQuiz } from "./sample-quiz.ts";

/** The sample as plain JSON with the value at a dotted path replaced (undefined: removed). */
export function sampleWith(path: string, value: unknown): unknown {
  const document: unknown = sampleQuiz();
  const names = path.split(".");
  const last = names.pop() ?? "";
  let parent = document as Record<string, unknown>;
  for (const name of names) parent = parent[name] as Record<string, unknown>;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return document;
}

/** The document check's findings, as `path: message`. */
export function problemsOf(document: unknown): string[] {
  const checked = checkDocument(document);
  return checked.ok ? [] : checked.problems.map((problem) => `${problem.path}: ${problem.message}`);
}
