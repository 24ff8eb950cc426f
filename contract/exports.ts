import { type Static, Type } from "typebox";
import { count, date, dateTime, described, id, nullable, oneOf, page, pageQuery, strict, urls } from "./common.ts";
import { operation } from "./operation.ts";
import { profileSearch } from "./search.ts";

/** Files made in the background; docs/rules/exports.md. */

export const exportDatasets = ["profiles", "responses", "quiz_analytics"] as const;
export type ExportDataset = (typeof exportDatasets)[number];

export const exportFormats = ["csv", "json", "ndjson", "xlsx", "parquet"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Whether files of the format have columns. */
export const isTable = (format: string): boolean => format !== "json" && format !== "ndjson";

export const csvStyles = ["spreadsheet", "plain"] as const;
export type CsvStyle = (typeof csvStyles)[number];

export const exportHeaders = ["keys", "texts"] as const;
export type ExportHeaders = (typeof exportHeaders)[number];

export const exportStatuses = ["pending", "running", "completed", "failed", "expired"] as const;

export const longestTimeZone = 64;

const exportFilters = Type.Object({
  from: nullable(date()),
  to: nullable(date()),
  quiz_id: nullable(id("quiz")),
  search: nullable(profileSearch),
  tz: nullable(Type.String()),
});

/** Shared by all answers about an export and the event export.completed. */
export const exportFields = {
  id: id("exp"),
  dataset: oneOf(exportDatasets),
  format: oneOf(exportFormats),
  csv_style: described("null for other formats than csv", nullable(oneOf(csvStyles))),
  headers: described("null for formats without columns", nullable(oneOf(exportHeaders))),
  status: oneOf(exportStatuses),
  source: oneOf(["api", "dashboard"]),
  filters: described("As requested; null where nothing was given", exportFilters),
  requested_at: dateTime(),
  started_at: nullable(dateTime("The file holds what was true at this moment")),
  completed_at: nullable(dateTime()),
  expires_at: dateTime("The file goes then: seven days after its completion"),
  row_count: nullable(count()),
  bytes: nullable(count()),
  error: nullable(Type.String({ description: "Why it failed" })),
  urls,
};

const exportSummary = Type.Object(exportFields, { title: "ExportSummary" });
export type ExportSummary = Static<typeof exportSummary>;

const exportWithLink = Type.Object(
  {
    ...exportFields,
    download_url: Type.Optional(
      Type.String({ format: "uri", description: "Only once completed; a new one with every read, needs no key" }),
    ),
    download_url_expires_at: Type.Optional(dateTime("One hour after the read, never after expires_at")),
  },
  { title: "Export" },
);
export type ExportWithLink = Static<typeof exportWithLink>;

export const exportRequest = Type.Object(
  {
    dataset: described(
      "profiles: a row per person; responses: a row per session with an answer; quiz_analytics: a row per quiz and day",
      oneOf(exportDatasets),
    ),
    format: Type.Optional(
      Type.Unsafe<ExportFormat>({
        type: "string",
        enum: [...exportFormats],
        default: "csv",
        description:
          "ndjson: an item of the JSON format on each line, and nothing else. xlsx: a workbook with a sheet for each quiz. parquet: a table with typed columns",
      }),
    ),
    csv_style: Type.Optional(
      oneOf(
        csvStyles,
        "spreadsheet, the default: safe to open in one. plain: for programs, values exactly as they are, each row on a line, without a byte-order mark. Only with csv",
      ),
    ),
    headers: Type.Optional(
      oneOf(
        exportHeaders,
        "What columns of questions are named by. keys, the default: their keys, which never change. texts: their numbers and texts, such as `12. Your skin?`. Not with json and ndjson",
      ),
    ),
    from: Type.Optional(date("First day, in tz")),
    to: Type.Optional(date("Last day, in tz")),
    quiz_id: Type.Optional(id("quiz", "A quiz of the store, deleted ones included")),
    search: Type.Optional(described("People of this search only; not with quiz_analytics", profileSearch)),
    tz: Type.Optional(
      Type.String({ maxLength: longestTimeZone, description: "IANA name of the zone of from and to; UTC by default" }),
    ),
  },
  strict,
);
export type ExportRequest = Static<typeof exportRequest>;

const exampleId = "exp_0198f4a2d3f57b6c8d9e0f1a2b3c4d5e";
const self = `https://api.example.com/v1/exports/${exampleId}`;
const pendingExample: ExportSummary = {
  id: exampleId,
  dataset: "responses",
  format: "csv",
  csv_style: "spreadsheet",
  headers: "keys",
  status: "pending",
  source: "api",
  filters: {
    from: "2026-09-01",
    to: "2026-09-30",
    quiz_id: "quiz_0198f2c4a1b07c3e9d5f6a7b8c9d0e1f",
    search: null,
    tz: "Europe/Berlin",
  },
  requested_at: "2026-10-01T06:00:00.000Z",
  started_at: null,
  completed_at: null,
  expires_at: "2026-10-08T06:00:00.000Z",
  row_count: null,
  bytes: null,
  error: null,
  urls: { self },
};
const completedExample: ExportSummary = {
  ...pendingExample,
  status: "completed",
  started_at: "2026-10-01T06:00:01.000Z",
  completed_at: "2026-10-01T06:00:09.000Z",
  expires_at: "2026-10-08T06:00:09.000Z",
  row_count: 18_240,
  bytes: 5_242_880,
};

export const listExports = operation({
  id: "listExports",
  method: "GET",
  path: "/v1/exports",
  tag: "Exports",
  summary: "List exports, newest first",
  description: "Expired ones too; without download links.",
  scope: null,
  cost: "read",
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    shape: page(exportSummary),
    example: { data: [completedExample], has_more: false, next_cursor: null },
  },
});

export const createExport = operation({
  id: "createExport",
  method: "POST",
  path: "/v1/exports",
  tag: "Exports",
  summary: "Request a file of people, responses or analytics",
  description:
    "Needs profiles:read for profiles and responses, analytics:read for quiz_analytics. The file is built in the background: poll urls.self. While an export of the dataset is being built, another one answers 409.",
  scope: null,
  cost: "write",
  body: exportRequest,
  bodyExample: {
    dataset: "responses",
    from: "2026-09-01",
    to: "2026-09-30",
    quiz_id: "quiz_0198f2c4a1b07c3e9d5f6a7b8c9d0e1f",
    tz: "Europe/Berlin",
  },
  answer: { status: 202, shape: exportSummary, location: "The export's own address", example: pendingExample },
  problems: ["insufficient_scope", "conflict"],
});

export const getExport = operation({
  id: "getExport",
  method: "GET",
  path: "/v1/exports/{export_id}",
  tag: "Exports",
  summary: "Read an export, with its download link once completed",
  description: "An expired export answers 404.",
  scope: null,
  cost: "read",
  params: Type.Object({ export_id: id("exp") }),
  answer: {
    status: 200,
    shape: exportWithLink,
    example: {
      ...completedExample,
      download_url: `https://api.example.com/exports/${exampleId}?token=AZjypNPVe2yNng8aKzxNXgAAAZ`,
      download_url_expires_at: "2026-10-01T07:00:12.000Z",
    },
  },
});

export const exportOperations = [listExports, createExport, getExport] as const;
