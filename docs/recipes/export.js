import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createExport, getExport } from "@quizstore/client";
import { client } from "./client.js";

/**
 * A file of last month's responses, asked for, waited for, downloaded and checked. The idempotency key makes it safe to
 * run again after a lost answer: the same month gives the same export for a day.
 *
 *   node docs/recipes/export.js responses.csv
 */

const [file = "responses.csv"] = process.argv.slice(2);
const today = new Date();
const first = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 1));
const last = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 0));
const [from, to] = [first, last].map((date) => date.toISOString().slice(0, 10));

const { id: export_id } = await createExport(
  client,
  { body: { dataset: "responses", format: "csv", from, to } },
  { idempotencyKey: `responses-${from}` },
);
let built = await getExport(client, { path: { export_id } });
while (built.status === "pending" || built.status === "running") {
  await new Promise((resolve) => setTimeout(resolve, 500));
  built = await getExport(client, { path: { export_id } });
}
if (built.status !== "completed") throw new Error(`the export is ${built.status}: ${built.error}`);

// the link needs no key: it is one
const download = await fetch(built.download_url);
const bytes = Buffer.from(await download.arrayBuffer());
const digest = `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`;
if (download.headers.get("repr-digest") !== digest) throw new Error("the file was damaged on its way");
await writeFile(file, bytes);
console.log(`${built.row_count} rows, ${bytes.length} bytes in ${file}`);
