import { type Static, Type } from "typebox";
import { createExport, getExport, getProfile, searchProfiles } from "../../client/src/index.ts";
import { oneOf, strict } from "../../contract/common.ts";
import { csvStyles, exportFormats, exportHeaders } from "../../contract/exports.ts";
import { profileSearch } from "../../contract/search.ts";
import { shown, tool } from "./tool.ts";

/** Tools for questions about people, and for exporting them to files. */

const findInput = Type.Object(
  {
    search: profileSearch,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, default: 10, description: "How many people are shown" }),
    ),
  },
  strict,
);

const findPeople = tool({
  name: "find_people",
  title: "People who ...",
  description:
    "People by attributes and answers. groups: at least one holds, in it every slot of all; a slot is a term or any of several. Keys of pages, questions and options come from read_quiz. explain says how many each group and slot matches alone.",
  kind: "reads",
  input: findInput,
  async run({ search, limit = 10 }: Static<typeof findInput>, { client, baseUrl }) {
    const found = await searchProfiles(client, { body: search, query: { limit, explain: true } });
    const people = found.data.map(({ id, email, phone, last_seen_at, orders_count, spent, quizzes }) => ({
      ...{ id, email, phone, last_seen_at, orders_count, spent, quizzes },
    }));
    const { total, total_capped, explain } = found;
    return {
      data: { total, total_capped, explain, people: shown(people) },
      units: { total: "people; 5,000 where total_capped is true" },
      links: { dashboard: `${baseUrl}/dashboard/profiles` },
      texts_of_others: ["data.people[].email", "data.people[].phone"],
    };
  },
});

const personInput = Type.Object(
  { profile_id: Type.String({ description: "As find_people gives it: prof_..." }) },
  strict,
);

const readPerson = tool({
  name: "read_person",
  title: "A person",
  description: "Visits, the latest answers of each quiz, results and orders of one person; the ten newest of each.",
  kind: "reads",
  input: personInput,
  async run({ profile_id }: Static<typeof personInput>, { client, baseUrl }) {
    const person = await getProfile(client, { path: { profile_id } });
    const latest = person.latest_results
      .slice(0, 10)
      .map(({ quiz_name, completed_at, answers, winner, points_total }) => ({
        ...{ quiz_name, completed_at, winner, points_total },
        answers: answers.map(({ question, values }) => ({ question, values })),
      }));
    const visits = person.sessions.slice(0, 10).map(({ quiz_name, started_at, status, last_page_title }) => ({
      quiz_name,
      started_at,
      status,
      last_page_title,
    }));
    const { first_seen_at, last_seen_at, orders_count, spent, identities } = person;
    const orders = person.orders
      .slice(0, 10)
      .map(({ order_name, amount, created_at }) => ({ order_name, amount, created_at }));
    return {
      data: shown({ first_seen_at, last_seen_at, orders_count, spent, identities, latest, visits, orders }),
      links: { dashboard: `${baseUrl}/dashboard/profiles/${profile_id}` },
      texts_of_others: ["data.identities[].value", "data.latest[].answers[].values"],
    };
  },
});

const askInput = Type.Object(
  {
    dataset: oneOf(["profiles", "responses", "quiz_analytics"]),
    format: Type.Optional(oneOf(exportFormats)),
    csv_style: Type.Optional(
      oneOf(csvStyles, "Only with csv. plain: values exactly as they are, for programs; spreadsheet by default"),
    ),
    headers: Type.Optional(oneOf(exportHeaders, "texts: columns named by the questions' texts; keys by default")),
    search: Type.Optional(profileSearch),
    quiz_id: Type.Optional(Type.String()),
    from: Type.Optional(Type.String({ format: "date" })),
    to: Type.Optional(Type.String({ format: "date" })),
  },
  strict,
);

const askExport = tool({
  name: "ask_for_export",
  title: "Ask for a file",
  description:
    "Everybody whom a search finds (dataset profiles, with search), or responses or daily figures, as a file. Made in the background: read_export says when it is there.",
  kind: "changes",
  input: askInput,
  async run({ format = "csv", ...request }: Static<typeof askInput>, { client, baseUrl }) {
    const { id, status } = await createExport(client, { body: { format, ...request } });
    return { data: { export_id: id, status }, links: { dashboard: `${baseUrl}/dashboard/exports` } };
  },
});

const readExportInput = Type.Object({ export_id: Type.String() }, strict);

const readExport = tool({
  name: "read_export",
  title: "Whether a file is there",
  description:
    "The state of an export and, once it is completed, the address from which it can be downloaded for an hour.",
  kind: "reads",
  input: readExportInput,
  async run({ export_id }: Static<typeof readExportInput>, { client }) {
    const { status, row_count, bytes, error, download_url = null } = await getExport(client, { path: { export_id } });
    return {
      data: { status, row_count, bytes, error },
      units: { bytes: "of the file" },
      links: { download: download_url },
    };
  },
});

export const peopleTools = [findPeople, readPerson, askExport, readExport];
