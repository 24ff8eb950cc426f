import { randomBytes } from "node:crypto";
import { ColumnarCopies } from "../server/columnar-copy/public.ts";
import { Database } from "../server/platform/database/database.ts";
import { openLog } from "../server/platform/log.ts";

/**
 * A separate process that queries a store's copy again and again until it is killed. Prints a line per answer: revision
 * and sessions. Arguments: connection as JSON, folder, store, bytes in a file of rows.
 */

const [connection = "{}", directory = "", storeId = "", partBytes = "33554432"] = process.argv.slice(2);
const log = openLog("warn", { write: (line: string) => void process.stderr.write(line) });
const database = new Database({ connection: JSON.parse(connection), size: 4, log });
const copies = await ColumnarCopies.open({
  directory,
  database,
  calendar: { now: () => Date.now(), afterReal: (milliseconds) => Date.now() + milliseconds },
  elapsed: () => performance.now(),
  random: randomBytes,
  log,
  threads: 1,
  partBytes: Number(partBytes),
});
process.stdout.write("open\n");
for (;;) {
  const question = { sql: "SELECT count(*) AS n FROM sessions", parameters: [] };
  const { rows, revision } = await copies.ask<{ n: number }>(storeId, question);
  process.stdout.write(`${revision} ${rows[0]?.n}\n`);
}
