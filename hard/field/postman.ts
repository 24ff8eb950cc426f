import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { demoIds, withIds } from "./demo-ids.ts";
import { ask, say, startDemo } from "./demo-program.ts";

/**
 * `node hard/field/postman.ts`: openapi.json as Postman imports it, run by newman against the demo shop, with the demo's
 * ids in the place of the samples, the key as the collection's token, and every parameter's example. Expected: each read
 * and search succeeds.
 */

const run = promisify(execFile);
type Json = ReturnType<typeof JSON.parse>;

interface Item {
  name: string;
  request?: { method: string; url: { path: string[] } };
  item?: Item[];
}

const requestsIn = (items: readonly Item[]): Item[] =>
  items.flatMap((each) => (each.item ? requestsIn(each.item) : [each]));

const isRead = ({ request }: Item): boolean =>
  request?.method === "GET" || (request?.url.path.at(-1) === "search" && request.method === "POST");

/** For test twins only, which the demo shop's key is not for. */
const isOfTestStores = ({ request }: Item): boolean => request?.url.path[1] === "test";

async function collectionOf(folder: string, text: string, values: { url: string; key: string }): Promise<Json> {
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  await writeFile(join(folder, "package.json"), "{}");
  await run("npm", [...install, "openapi-to-postmanv2@6.3.3", "newman@6.2.2"], { cwd: folder });
  await writeFile(join(folder, "openapi.json"), text);
  const options = "parametersResolution=Example";
  const converter = "node_modules/openapi-to-postmanv2/bin/openapi2postmanv2.js";
  await run(process.execPath, [converter, "-s", "openapi.json", "-o", "collection.json", "-O", options], {
    cwd: folder,
  });
  const collection: Json = JSON.parse(await readFile(join(folder, "collection.json"), "utf8"));
  const requests = requestsIn(collection.item).filter((each) => isRead(each) && !isOfTestStores(each));
  const variable = [
    { key: "baseUrl", value: values.url },
    { key: "bearerToken", value: values.key },
  ];
  return { ...collection, item: requests, variable };
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "quizstore-postman-"));
  const program = await startDemo();
  try {
    const ids = await demoIds(program);
    const text = withIds((await ask(`${program.url}/openapi.json`)).body.toString(), ids);
    const collection = await collectionOf(folder, text, program);
    await writeFile(join(folder, "collection.json"), JSON.stringify(collection));
    // the bucket of a key is full after 24 figures
    await pause(6_000);
    const newman = ["node_modules/newman/bin/newman.js", "run", "collection.json", "--delay-request", "400"];
    const report = ["--reporters", "json", "--reporter-json-export", "report.json"];
    await run(process.execPath, [...newman, ...report], { cwd: folder }).catch(() => undefined);
    const { run: done }: Json = JSON.parse(await readFile(join(folder, "report.json"), "utf8"));
    const failed = done.executions.filter(({ response }: Json) => !(response?.code < 300));
    say(`${done.executions.length - failed.length} of ${done.executions.length} requests succeed`);
    for (const { item, response } of failed) {
      const body = response?.stream ? Buffer.from(response.stream.data ?? []).toString() : "no answer";
      say(`  ${item.name}: ${response?.code} ${body.slice(0, 300)}`);
    }
    process.exitCode = failed.length === 0 && done.executions.length > 20 ? 0 : 1;
  } finally {
    await program.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
