import type { CreateExportInput, ExportSummary, ProfileSearch } from "../../client/src/index.ts";
import { type CsvStyle, type ExportDataset, type ExportFormat, isTable } from "../../contract/exports.ts";
import type { Scope } from "../../contract/scopes.ts";

/** Labels for exports, their filters and their progress. */

export const datasetWords: Record<ExportDataset, { label: string; rows: string }> = {
  profiles: { label: "People", rows: "A row for each person, with contacts and figures" },
  responses: { label: "Answers", rows: "A row for each time somebody took a quiz, with every answer" },
  quiz_analytics: { label: "Figures by day", rows: "A row for each quiz and day, without contacts" },
};

/**
 * The datasets that a member may export: without access to contacts only answers without contacts, with read-only
 * access none [dashboard-exports.roles].
 */
export const datasetsFor = (scopes: ReadonlySet<Scope>): ExportDataset[] => {
  if (scopes.has("profiles:read")) return ["profiles", "responses", "quiz_analytics"];
  return scopes.has("quizzes:write") ? ["responses", "quiz_analytics"] : [];
};

/** Whether the file holds contacts, unless its requester may not see them. */
export const holdsContacts = (dataset: ExportDataset): boolean => dataset !== "quiz_analytics";

/** What kinds of file are offered, first those that people open themselves. */
export const fileKinds = [
  { value: "xlsx", label: "Excel workbook (XLSX), for spreadsheets", format: "xlsx", csv_style: null },
  { value: "csv", label: "CSV, for spreadsheets", format: "csv", csv_style: "spreadsheet" },
  { value: "plain", label: "Plain CSV, for programs", format: "csv", csv_style: "plain" },
  { value: "json", label: "JSON, for programs", format: "json", csv_style: null },
  { value: "ndjson", label: "NDJSON, for programs: an item a line", format: "ndjson", csv_style: null },
  { value: "parquet", label: "Parquet, for programs", format: "parquet", csv_style: null },
] as const satisfies readonly { value: string; label: string; format: ExportFormat; csv_style: CsvStyle | null }[];
export type FileKind = (typeof fileKinds)[number]["value"];

/** How a file is laid out. */
export interface Layout {
  kind: FileKind;
  /** columns are named by the questions' texts */
  texts: boolean;
}

/** For people: what spreadsheets open, headed by what was asked [dashboard-exports.layout]. */
export const usualLayout: Layout = { kind: "xlsx", texts: true };

const kindOf = (kind: FileKind) => fileKinds.find(({ value }) => value === kind) ?? fileKinds[0];

export function layoutOf({
  format,
  csv_style,
  headers,
}: Pick<ExportSummary, "format" | "csv_style" | "headers">): Layout {
  const kind = fileKinds.find((each) => each.format === format && each.csv_style === csv_style);
  return { kind: kind?.value ?? usualLayout.kind, texts: headers !== "keys" };
}

/** Whether its columns can be named by questions. */
export const hasQuestions = (dataset: ExportDataset, { kind }: Pick<Layout, "kind">): boolean =>
  dataset === "responses" && isTable(kindOf(kind).format);

/** The format in short, as lists show it. */
export const formatWords = ({ format, csv_style }: Pick<ExportSummary, "format" | "csv_style">): string =>
  csv_style === "plain" ? `plain ${format.toUpperCase()}` : format.toUpperCase();

/** The filters of a file; empty means no filter. */
export interface ExportFilters {
  from?: string | null | undefined;
  to?: string | null | undefined;
  quiz_id?: string | null | undefined;
  search?: ProfileSearch | null | undefined;
  tz?: string | null | undefined;
}

/** The API's request body. A zone is only sent with a day, and a search only for people. */
export function requestFor(
  dataset: ExportDataset,
  layout: Layout,
  { from, to, quiz_id, search, tz }: ExportFilters,
): CreateExportInput["body"] {
  const days = { ...optional("from", from), ...optional("to", to) };
  const { format, csv_style } = kindOf(layout.kind);
  return {
    dataset,
    format,
    ...(csv_style === "plain" ? { csv_style } : {}),
    ...(layout.texts && hasQuestions(dataset, layout) ? { headers: "texts" } : {}),
    ...days,
    ...optional("quiz_id", quiz_id),
    ...(holdsContacts(dataset) && search && Object.keys(search).length > 0 ? { search } : {}),
    ...(Object.keys(days).length > 0 ? optional("tz", tz) : {}),
  };
}

const optional = <Field extends string>(field: Field, value: string | null | undefined): { [F in Field]?: string } =>
  (value ? { [field]: value } : {}) as { [F in Field]?: string };

/** Counts a search's conditions as people would: each fact and each question. */
export function conditionCount(search: ProfileSearch): number {
  const { groups = [], match: _, ...facts } = search;
  const terms = groups.flatMap((group) => group.all.flatMap((slot) => slot.any ?? [slot]));
  return Object.keys(facts).length + terms.length;
}

/** The filters in words, one line each. `quizName` returns null for a quiz that does not exist. */
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
