import type { CreateExportInput, ExportSummary, ProfileSearch } from "../../client/src/index.ts";
import type { ExportDataset } from "../../contract/exports.ts";
import type { Scope } from "../../contract/scopes.ts";

/** What an export is and how far it is, in words. */

export const datasetWords: Record<ExportDataset, { label: string; rows: string }> = {
  profiles: { label: "People", rows: "A row for each person, with contacts and figures" },
  responses: { label: "Answers", rows: "A row for each time somebody took a quiz, with every answer" },
  quiz_analytics: { label: "Figures by day", rows: "A row for each quiz and day, without contacts" },
};

/**
 * Which datasets a member may ask for: who may not see contacts has answers without them, who only reads has none
 * [dashboard-exports.roles].
 */
export const datasetsFor = (scopes: ReadonlySet<Scope>): ExportDataset[] => {
  if (scopes.has("profiles:read")) return ["profiles", "responses", "quiz_analytics"];
  return scopes.has("quizzes:write") ? ["responses", "quiz_analytics"] : [];
};

/** Unless whoever asked for it may not see them. */
export const holdsContacts = (dataset: ExportDataset): boolean => dataset !== "quiz_analytics";

/** What a file is narrowed to; what is empty stands for all. */
export interface ExportFilters {
  from?: string | null | undefined;
  to?: string | null | undefined;
  quiz_id?: string | null | undefined;
  search?: ProfileSearch | null | undefined;
  tz?: string | null | undefined;
}

/** The API's request; a zone says nothing without a day, and a search narrows people alone. */
export function requestFor(
  dataset: ExportDataset,
  format: "csv" | "json",
  { from, to, quiz_id, search, tz }: ExportFilters,
): CreateExportInput["body"] {
  const days = { ...given("from", from), ...given("to", to) };
  return {
    dataset,
    format,
    ...days,
    ...given("quiz_id", quiz_id),
    ...(holdsContacts(dataset) && search && Object.keys(search).length > 0 ? { search } : {}),
    ...(Object.keys(days).length > 0 ? given("tz", tz) : {}),
  };
}

const given = <Field extends string>(field: Field, value: string | null | undefined): { [F in Field]?: string } =>
  (value ? { [field]: value } : {}) as { [F in Field]?: string };

/** Conditions of a search, counted as somebody would: each fact and each question. */
export function conditionCount(search: ProfileSearch): number {
  const { groups = [], match: _, ...facts } = search;
  const terms = groups.flatMap((group) => group.all.flatMap((slot) => slot.any ?? [slot]));
  return Object.keys(facts).length + terms.length;
}

/** What an export was narrowed to, one part a line; `quizName` of ids, null for a quiz that is not there. */
export function filterWords(filters: ExportFilters, quizName: (id: string) => string | null): string[] {
  const { from, to, quiz_id, search, tz } = filters;
  const zone = tz ? ` (${tz})` : "";
  const days = from && to ? `${from} to ${to}${zone}` : from ? `from ${from}${zone}` : to ? `up to ${to}${zone}` : null;
  const conditions = search ? conditionCount(search) : 0;
  return [
    ...(days === null ? [] : [days]),
    ...(quiz_id ? [quizName(quiz_id) ?? "a quiz that was deleted"] : []),
    ...(conditions > 0 ? [`a search with ${conditions} ${conditions === 1 ? "condition" : "conditions"}`] : []),
  ];
}

export const isUnfinished = ({ status }: Pick<ExportSummary, "status">): boolean =>
  status === "pending" || status === "running";

export const statusWords: Record<ExportSummary["status"], { label: string; color: string }> = {
  pending: { label: "Waiting", color: "gray" },
  running: { label: "In progress", color: "blue" },
  completed: { label: "Ready", color: "green" },
  failed: { label: "Failed", color: "red" },
  expired: { label: "Expired", color: "gray" },
};
