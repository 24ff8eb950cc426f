import { randomBytes } from "node:crypto";
import { Database } from "../server/platform/database/database.ts";
import { openLog } from "../server/platform/log.ts";
import { openSecrets } from "../server/platform/secrets.ts";
import { Deliverer } from "../server/webhooks/send/deliverer.ts";

/**
 * A deliverer in a separate process, until it is killed. Arguments: connection as JSON, the secret key, calendar time
 * at the start in ms, allowed hosts separated by commas.
 */

const [connection = "{}", secretKey = "", calendarStart = "0", hosts = ""] = process.argv.slice(2);
const log = openLog("warn", { write: (line: string) => void process.stderr.write(line) });
const database = new Database({ connection: JSON.parse(connection), size: 6, log });
const started = performance.now();
const now = () => Number(calendarStart) + Math.floor(performance.now() - started);
const deliverer = new Deliverer({
  database,
  calendar: { now, afterReal: (milliseconds) => now() + milliseconds },
  elapsed: () => performance.now(),
  unixNow: () => Date.now(),
  random: randomBytes,
  secrets: openSecrets(secretKey, randomBytes),
  log,
  allowHosts: hosts.split(","),
});
setInterval(() => void deliverer.sweep(), 50);
await deliverer.sweep();
process.stdout.write("looks\n");
