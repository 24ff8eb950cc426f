import { type Static, Type } from "typebox";
import {
  beginDraftRun,
  changeQuizDraft,
  createPreview,
  createQuizDraft,
  type Draft,
  type DraftChange,
  endDraftRun,
  getQuizDraft,
  saveVersion,
} from "../../client/src/index.ts";
import { oneOf, strict } from "../../contract/common.ts";
import { changeQuizDraft as changing } from "../../contract/drafts.ts";
import { documentFormat } from "./document-format.ts";
import { withMeantValue } from "./draft-values.ts";
import { refused, shown, type ToolContext, tool } from "./tool.ts";

/**
 * Tools by which an assistant drafts a quiz: under its lease, a few changes at a time, with the lint's findings
 * [mcp.drafts].
 */

const quizId = Type.String({ description: "As list_quizzes or draft_quiz gives it: quiz_..." });
const runId = Type.String({ description: "As draft_quiz or begin_editing gives it: run_..." });
const holder = Type.Optional(
  Type.String({ minLength: 1, maxLength: 200, description: "For whom you work: people who wait are told" }),
);

const editorOf = ({ baseUrl }: ToolContext, quiz: string) => ({ editor: `${baseUrl}/dashboard/quizzes/${quiz}/edit` });

const findingsAtMost = 20;

/** The draft's findings, the most severe first. */
function worst(findings: Draft["findings"]) {
  const errors = findings.filter(({ severity }) => severity === "error");
  const others = findings.filter(({ severity }) => severity !== "error");
  return { errors: errors.length, findings: shown([...errors, ...others].slice(0, findingsAtMost)) };
}

const stateOf = ({ findings, revision }: Pick<Draft, "findings" | "revision">) => ({ revision, ...worst(findings) });

const format = tool({
  name: "describe_documents",
  title: "What a quiz is made of",
  description:
    "The fields of pages, components, conditions, jumps and points, with an example of each. Read it before you draft.",
  kind: "reads",
  input: Type.Object({}, strict),
  async run() {
    return { data: documentFormat };
  },
});

const draftInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    template: Type.Optional(oneOf(["empty", "finder", "gift", "calculator"])),
    holder,
  },
  strict,
);

const draftQuiz = tool({
  name: "draft_quiz",
  title: "Begin a new quiz",
  description:
    "Makes a quiz with a draft alone, empty or from a template, and begins to edit it. Shoppers see nothing of it. Next: change_draft, then finish_editing.",
  kind: "changes",
  input: draftInput,
  async run({ name, template = "empty", holder }: Static<typeof draftInput>, context) {
    const made = await createQuizDraft(context.client, { body: { name, template_id: template } });
    const { quiz_id } = made;
    const run = await beginDraftRun(context.client, {
      path: { quiz_id },
      body: holder === undefined ? {} : { holder },
    });
    const data = {
      quiz_id,
      run_id: run.run_id,
      expires_at: run.expires_at,
      ...stateOf(made),
      outline: outlineOf(made),
    };
    return { data, links: editorOf(context, quiz_id) };
  },
});

const beginInput = Type.Object({ quiz_id: quizId, run_id: Type.Optional(runId), holder }, strict);

const begin = tool({
  name: "begin_editing",
  title: "Begin to edit a quiz's draft",
  description:
    "Until finish_editing, or for ten minutes after your last change, nobody else changes the quiz. With run_id your own run is renewed.",
  kind: "changes",
  input: beginInput,
  async run({ quiz_id, run_id, holder }: Static<typeof beginInput>, context) {
    const body = { ...(run_id === undefined ? {} : { run_id }), ...(holder === undefined ? {} : { holder }) };
    const run = await beginDraftRun(context.client, { path: { quiz_id }, body });
    const draft = await getQuizDraft(context.client, { path: { quiz_id } });
    const data = { run_id: run.run_id, expires_at: run.expires_at, ...stateOf(draft), outline: outlineOf(draft) };
    return { data, links: editorOf(context, quiz_id) };
  },
});

type Json = Readonly<Record<string, unknown>>;
const listOf = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "object") : [];

/** Pages and their components, by the keys that paths of change_draft use. */
function outlineOf({ document }: Pick<Draft, "document">): unknown {
  const { pages, dimensions, jump_rules } = document as Json;
  const componentOf = ({ component_key, block_key, kind, question, label }: Json) =>
    shown({ key: component_key ?? block_key, kind, text: question ?? label });
  return {
    pages: listOf(pages).map(({ page_key, title, kind, components }) => ({
      ...(shown({ page_key, title, kind }) as object),
      components: listOf(components).map(componentOf),
    })),
    dimensions: listOf(dimensions).map(({ dimension_id, name }) => shown({ dimension_id, name })),
    jump_rules: listOf(jump_rules).length,
  };
}

const readInput = Type.Object(
  {
    quiz_id: quizId,
    page_key: Type.Optional(Type.String({ description: "One page as it is; the outline of all without it" })),
  },
  strict,
);

/** In characters; a page may hold more than a model should read at once. */
const longestPage = 40_000;

const read = tool({
  name: "read_draft",
  title: "A quiz's draft",
  description:
    "Who edits it, what differs from what is live, what is wrong with it and its outline; with page_key one page as it is, otherwise what stands beside the pages as it is.",
  kind: "reads",
  input: readInput,
  async run({ quiz_id, page_key }: Static<typeof readInput>, context) {
    const draft = await getQuizDraft(context.client, { path: { quiz_id } });
    const { name, live, differs_from_live, assistant, saved_by, saved_at } = draft;
    const { pages, ...beside } = draft.document as Json;
    const part =
      page_key === undefined
        ? { outline: outlineOf(draft), beside_pages: whole(beside) }
        : { page: whole(listOf(pages).find((page) => page["page_key"] === page_key) ?? null) };
    const state = { ...(shown({ name, assistant, saved_by }) as object), saved_at, live, differs_from_live };
    // the page is returned unshortened so that the model can change it; strangers may have written parts of it
    const texts_of_others = page_key === undefined ? ["data.beside_pages"] : ["data.page"];
    return { data: { ...state, ...stateOf(draft), ...part }, links: editorOf(context, quiz_id), texts_of_others };
  },
});

const whole = (part: unknown): unknown =>
  JSON.stringify(part).length <= longestPage
    ? part
    : { too_long: "Read it in the editor; change_draft still works by its keys" };

/** Clients send a value without types as text: the types lead them to send JSON as it is. */
function withTypedValue(changes: { items: { properties: Record<string, { description?: string }> } }) {
  const { items } = changes;
  const types = ["object", "string", "number", "boolean", "null"].map((type) => ({ type }));
  const value = { ...items.properties["value"], anyOf: [...types, { type: "array", items: {} }] };
  return { ...changes, items: { ...items, properties: { ...items.properties, value } } };
}

const changeInput = Type.Object(
  {
    quiz_id: quizId,
    run_id: runId,
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Renames the quiz" })),
    changes: Type.Unsafe<DraftChange[]>(withTypedValue(JSON.parse(JSON.stringify(changing.body?.properties.changes)))),
  },
  strict,
);

const change = tool({
  name: "change_draft",
  title: "Change a draft",
  description:
    'Makes a few changes at once, all or none: {"op":"set","path":"/pages/skin/title","value":"Your skin"}, {"op":"insert","path":"/pages","value":{...},"before":"result"}, remove, move. Answers what the lint finds then.',
  kind: "changes",
  input: changeInput,
  async run({ quiz_id, ...sent }: Static<typeof changeInput>, context) {
    const body = { ...sent, changes: sent.changes.map(withMeantValue) };
    const saved = await changeQuizDraft(context.client, { path: { quiz_id }, body });
    const data = {
      ...stateOf(saved),
      differs_from_live: saved.differs_from_live,
      run_until: saved.assistant?.expires_at ?? null,
    };
    return { data, links: editorOf(context, quiz_id) };
  },
});

const previewInput = Type.Object(
  {
    quiz_id: quizId,
    version_id: Type.Optional(Type.String({ description: "A saved version; the draft without it" })),
    hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 720, description: "How long the link holds; 72" })),
  },
  strict,
);

const preview = tool({
  name: "preview_quiz",
  title: "A link that shows a quiz",
  description:
    "Shows the draft, or a version, as shoppers would see it, to whoever has the link. Nothing that is done there counts. The draft must have no errors.",
  kind: "changes",
  input: previewInput,
  async run({ quiz_id, ...body }: Static<typeof previewInput>, { client }) {
    const { url, expires_at } = await createPreview(client, { path: { quiz_id }, body });
    return { data: { expires_at }, links: { preview: url } };
  },
});

const finishInput = Type.Object(
  {
    quiz_id: quizId,
    run_id: Type.Optional(runId),
    save: Type.Boolean({ description: "Whether the draft becomes a version; shoppers see nothing of it yet" }),
    label: Type.Optional(Type.String({ maxLength: 200, description: "What the version is called" })),
  },
  strict,
);

/**
 * Refuses a run that this quiz does not have, and a draft with errors, before ending anything: a caller who has to fix
 * errors still holds the draft.
 */
const finish = tool({
  name: "finish_editing",
  title: "End editing, and save a version",
  description:
    "Others can change the quiz again; with save the draft becomes a version first, unless it has errors. Needs the run_id under which you edit this quiz. Then publish_version: a person confirms it.",
  kind: "changes",
  input: finishInput,
  async run({ quiz_id, run_id, save, label }: Static<typeof finishInput>, context) {
    const { client } = context;
    const path = { quiz_id };
    if (run_id === undefined) {
      const { assistant } = await getQuizDraft(client, { path });
      const title = assistant === null ? "conflict" : "ai_run_in_progress";
      const detail = "Give the run_id under which you edit this quiz: begin_editing, if you are not editing it";
      return refused(detail, { refused: title, ended: false });
    }
    // without changes it refuses unless the run is the quiz's own, and says what the lint finds [mcp.finish]
    const { findings } = await changeQuizDraft(client, { path, body: { run_id, changes: [] } });
    const found = worst(findings);
    if (save && found.errors > 0)
      return refused("The draft has errors: correct them with change_draft", { ended: false, ...found });
    await endDraftRun(client, { path, body: { run_id } });
    if (!save) return { data: { ended: true }, links: editorOf(context, quiz_id) };
    const { id, number } = await saveVersion(client, { path, body: label === undefined ? {} : { label } });
    return { data: { ended: true, version_id: id, number, live: false }, links: editorOf(context, quiz_id) };
  },
});

export const draftTools = [format, draftQuiz, begin, read, change, preview, finish];
