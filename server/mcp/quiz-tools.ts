import { type Static, Type } from "typebox";
import {
  getDraftLint,
  getQuiz,
  getStore,
  getVersion,
  getVersionLint,
  listQuizzes,
  listVersions,
  publishVersion,
  requestApproval,
} from "../../client/src/index.ts";
import { strict } from "../../contract/common.ts";
import { shown, tool } from "./tool.ts";

/** Tools for quizzes: which exist, their questions, their problems, and which version is live. */

const quizId = Type.String({ description: "As list_quizzes gives it: quiz_..." });
const versionId = Type.String({ description: "As read_quiz or finish_editing gives it: ver_..." });

const quizzes = tool({
  name: "list_quizzes",
  title: "The store and its quizzes",
  description:
    "Which store this is, its time zone and currency, what the key may do, and its newest 50 quizzes with state and latest version.",
  kind: "reads",
  input: Type.Object({}, strict),
  async run(_input, { client, baseUrl }) {
    const [{ name, currency, timezone, plan_class, scopes, credits }, { data, has_more }] = await Promise.all([
      getStore(client),
      listQuizzes(client, { query: { limit: 50, include: "latest_version" } }),
    ]);
    const few = data.map((quiz) => ({
      ...{ id: quiz.id, name: quiz.name, status: quiz.status, archived: quiz.archived, page_count: quiz.page_count },
      live_version: quiz.published_version ?? null,
      latest_version: quiz.latest_version ? { id: quiz.latest_version.id, number: quiz.latest_version.number } : null,
    }));
    const store = shown({ name, currency, timezone, plan_class, scopes, credits });
    const links = { dashboard: `${baseUrl}/dashboard`, quiz: `${baseUrl}/dashboard/quizzes/{id}` };
    return { data: { store, quizzes: shown(few), has_more }, links };
  },
});

const readInput = Type.Object({ quiz_id: quizId }, strict);

const readQuiz = tool({
  name: "read_quiz",
  title: "What a quiz asks",
  description: "Its pages, questions and options with the keys that other tools take, and its versions, newest first.",
  kind: "reads",
  input: readInput,
  async run({ quiz_id }: Static<typeof readInput>, { client }) {
    const path = { quiz_id };
    const [quiz, versions] = await Promise.all([
      getQuiz(client, { path }),
      listVersions(client, { path, query: { limit: 10 } }),
    ]);
    const pages = quiz.pages
      .filter(({ removed }) => !removed)
      .map(({ page_key, title, kind, components }) => ({
        ...{ page_key, title, kind },
        questions: components.map(({ component_key, question, kind: asks, options }) => ({
          ...{ component_key, question, kind: asks },
          options: options.map(({ option_id, label }) => ({ option_id, label })),
        })),
      }));
    const { name, status, dimensions, formulas, urls } = quiz;
    const saved = versions.data.map(({ id, number, label, published }) => ({ id, number, label, live: published }));
    return {
      data: shown({ name, status, pages, dimensions, formulas, versions: saved }),
      links: { dashboard: urls["dashboard"] ?? null },
    };
  },
});

const lintInput = Type.Object(
  { quiz_id: quizId, version_id: Type.Optional(Type.String({ description: "A saved version; the draft without it" })) },
  strict,
);

const lintQuiz = tool({
  name: "lint_quiz",
  title: "What is wrong with a quiz",
  description:
    "What an author should look at in the draft, or in a saved version. Errors keep a draft from becoming a version.",
  kind: "reads",
  input: lintInput,
  async run({ quiz_id, version_id }: Static<typeof lintInput>, { client, baseUrl }) {
    const { findings } = await (version_id === undefined
      ? getDraftLint(client, { path: { quiz_id } })
      : getVersionLint(client, { path: { quiz_id, version_id } }));
    const data = {
      errors: findings.filter(({ severity }) => severity === "error").length,
      findings: shown(findings.slice(0, 50)),
    };
    return { data, links: { editor: `${baseUrl}/dashboard/quizzes/${quiz_id}/edit` } };
  },
});

const publishInput = Type.Object(
  {
    ...{ quiz_id: quizId, version_id: versionId },
    confirm: Type.Optional(Type.String({ description: "Has no effect any more: a person confirms" })),
  },
  strict,
);

/** The same call asks, and says after the person's decision what became of it [mcp.publish]. */
const publish = tool({
  name: "publish_version",
  title: "Make a version live",
  description:
    "Shows shoppers another version, once a person confirms it: asked by your program if it can, otherwise on the dashboard page whose link is answered. Give them the link, and call again to learn what they decided. Nothing that you send confirms it.",
  kind: "publishes",
  input: publishInput,
  async run({ quiz_id, version_id }: Static<typeof publishInput>, { client, person }) {
    const path = { quiz_id, version_id };
    const [quiz, version, { findings }] = await Promise.all([
      getQuiz(client, { path: { quiz_id } }),
      getVersion(client, { path }),
      getVersionLint(client, { path }),
    ]);
    const about = { quiz: shown(quiz.name), version: version.number };
    const links = { dashboard: quiz.urls["dashboard"] ?? null };
    if (quiz.published_version === version_id) return { data: { published: true, ...about }, links };
    const { id, status, url, expires_at } = await requestApproval(client, { path });
    const declined = { data: { published: false, declined_by_person: true, ...about }, links };
    if (status === "declined") return declined;
    const answer = person?.answered(id) ?? null;
    if (answer === "no") return declined;
    if (answer === "yes") {
      await publishVersion(client, { path, body: { approval_id: id } });
      return { data: { published: true, ...about }, links };
    }
    if (person !== null) return questionOf(id, about, { replaces: quiz.published_version !== undefined, findings });
    const waiting = {
      a_person_decides_at: url,
      until: expires_at,
      next: "give them this link, then call publish_version again",
    };
    const data = { published: false, ...about, findings: shown(findings.slice(0, 20)), waiting };
    return { data, links: { ...links, approve: url } };
  },
});

interface AskedAbout {
  quiz: unknown;
  version: number;
}

/** Says what shoppers would see, in words that no model wrote. */
function questionOf(
  state: string,
  { quiz, version }: AskedAbout,
  { replaces, findings }: { replaces: boolean; findings: readonly { severity: string }[] },
) {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const now = replaces ? "It replaces the version that is live now." : "Nothing of this quiz is live yet.";
  const found = findings.length === 0 ? "" : ` The check found ${errors} errors, ${findings.length - errors} warnings.`;
  const question = `Publish version ${version} of the quiz "${quiz}"? Shoppers see it at once. ${now}${found}`;
  return { question, agree: `Publish version ${version}`, state };
}

export const quizTools = [quizzes, readQuiz, lintQuiz, publish];
