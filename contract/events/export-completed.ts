import { Type } from "typebox";
import { described } from "../common.ts";
import { exportFields } from "../exports.ts";
import { session } from "./session-examples.ts";
import { topic } from "./topic.ts";

const created = "2026-10-01T06:00:09.000Z";

export const exportCompleted = topic({
  meaning: "An export is ready; read it for its link",
  about: "shop",
  object: Type.Object(
    {
      ...exportFields,
      download_url: described("Always null here: read the export for a link", Type.Null()),
      download_url_expires_at: Type.Null(),
    },
    { title: "ExportCompleted" },
  ),
  example: {
    id: "exp_0198f4a2d3f57b6c8d9e0f1a2b3c4d5e",
    dataset: "responses",
    format: "csv",
    csv_style: "spreadsheet",
    headers: "keys",
    status: "completed",
    source: "api",
    filters: { from: "2026-09-01", to: "2026-09-30", quiz_id: session.quiz_id, search: null, tz: "Europe/Berlin" },
    requested_at: "2026-10-01T06:00:00.000Z",
    started_at: "2026-10-01T06:00:01.000Z",
    completed_at: created,
    expires_at: "2026-10-08T06:00:09.000Z",
    row_count: 18240,
    bytes: 5242880,
    error: null,
    urls: { self: "https://api.example.com/v1/exports/exp_0198f4a2d3f57b6c8d9e0f1a2b3c4d5e" },
    download_url: null,
    download_url_expires_at: null,
  },
  created,
});
