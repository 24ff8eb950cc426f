import { readCondition } from "./check-conditions.ts";
import { bounds, type Component, type QuestionComponent } from "./document.ts";
import { kindDescriptors } from "./kinds/kinds.ts";
import { type Kind, kinds, valueOfKind } from "./kinds/value.ts";
import { Fields, type Problems, textUpTo } from "./read.ts";

/** Reads one component of a page. */
export function readComponent(value: unknown, path: string, problems: Problems): Component {
  const fields = new Fields(value, path, problems);
  const before = problems.list.length;
  const kind = fields.oneOf("kind", kinds);
  // Without a known kind, the other fields cannot be checked.
  if (problems.list.length > before) return { kind: "content", component_key: "", html_text: "" };
  // The fields that all questions have, then those of the kind: together they are what its type says.
  const component = {
    kind,
    ...readShared(kind, fields),
    ...kindDescriptors[kind].read(fields),
    ...fields.ifPresent("visible_when", readCondition),
  } as Component;
  fields.refuseOthers();
  return component;
}

type Shared = Pick<QuestionComponent, "component_key" | "question" | "required" | "help">;

/** [quiz-documents.question-texts] */
function readShared(kind: Kind, fields: Fields): Partial<Shared> {
  if (kind === "products") return {};
  const component_key = fields.key("component_key");
  if (valueOfKind[kind] === "none") return { component_key };
  const asked = { question: fields.text("question", bounds.text), required: fields.flag("required") };
  return { component_key, ...asked, ...fields.ifPresent("help", textUpTo(bounds.text)) };
}
