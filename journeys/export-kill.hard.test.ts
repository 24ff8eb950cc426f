import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openS3, type S3Stub } from "../testkit/s3.ts";
import { shortQuiz } from "./documents.ts";
import { type Client, client } from "./http.ts";
import { copied, installedFolder } from "./installed.ts";
import { cleanUp, command, type Program, start, until } from "./program.ts";
import { importLines, type Key, openShopWithKey, publishQuiz, type Shop } from "./shop.ts";
import { Visit } from "./visit.ts";

/** kill -9 in the midst of an export: it is begun again, and comes to its end once. */

interface Export {
  id: string;
  status: string;
  started_at: string | null;
  row_count: number | null;
  bytes: number | null;
  download_url?: string;
}

interface Row {
  id: string;
  answers: Record<string, { value?: unknown }>;
}

/** More than a builder reads between two rests, so that it rests once: as long as a store may say, to be found and killed meanwhile. */
const sessions = 5_050;
const restMs = 60_000;
/** Long enough that the part before the rest is more than S3 takes in one piece. */
const longText = "long ".repeat(400);

const longQuiz = {
  ...shortQuiz,
  pages: [
    {
      ...{ page_key: "first", title: "First", kind: "question", skippable: false, visible_when: null },
      components: [
        { kind: "text", component_key: "story", question: "Your story?", required: false, max_length: 4_000 },
      ],
    },
    ...shortQuiz.pages.slice(1),
  ],
};

interface Place {
  data: string;
  settings: Record<string, string>;
  program: Program;
  shop: Shop;
  key: Key;
}

let s3: S3Stub;
const places: Place[] = [];

let seeded: { data: string; shop: Shop; key: Key };

/** A shop with more sessions than a builder reads at once, in a data directory to copy. */
async function seed(): Promise<typeof seeded> {
  const data = await installedFolder();
  const program = await start(data);
  const { shop, key } = await openShopWithKey(program, { limits: { export_page_pause_ms: restMs } });
  const live = await publishQuiz(program, shop, longQuiz);
  const from = Date.now() - 86_400_000;
  const lines = Array.from({ length: sessions }, (_, n) => {
    const visit = new Visit(live, { from });
    return visit.line([visit.wrote("first", "story", `${n} ${longText}`)]);
  });
  const imported = await importLines(data, "events", shop.store_id, lines);
  expect(imported).toMatchObject({ rejected: 0 });
  await program.stop();
  return { data, shop, key };
}

async function prepare(settings: Record<string, string>): Promise<Place> {
  const data = await copied(seeded.data);
  const place: Place = { data, settings, program: await start(data, settings), shop: seeded.shop, key: seeded.key };
  places.push(place);
  return place;
}

beforeAll(async () => {
  [s3, seeded] = await Promise.all([openS3(), seed()]);
}, 120_000);

afterAll(async () => {
  for (const { program, data } of places) {
    await program.stop();
    await cleanUp(data);
  }
  await s3?.close();
  if (seeded) await cleanUp(seeded.data);
});

const read = async (api: Client, id: string): Promise<Export> => {
  const answer = await api.get<Export>(`/v1/exports/${id}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

/** Kills while it is built, starts again, and answers the export before and after. */
async function killedWithin(place: Place, begun: () => Promise<boolean>): Promise<{ before: Export; after: Export }> {
  let api = client(place.program.url, place.key.key);
  const { id } = (await api.post<Export>("/v1/exports", { dataset: "responses", format: "json" })).body;
  expect(await until(begun, Boolean, 15)).toBe(true);
  const before = await read(api, id);
  await place.program.kill();
  // the second time it need not be found, only not be done before it was asked for once more
  await command(
    place.data,
    "store",
    "update",
    place.shop.domain,
    "--limits",
    JSON.stringify({ export_page_pause_ms: 5_000 }),
  );
  place.program = await start(place.data, place.settings, place.program.port);
  api = client(place.program.url, place.key.key);
  expect((await api.post("/v1/exports", { dataset: "responses" })).status).toBe(409);
  const after = await until(
    () => read(api, id),
    ({ status }) => status !== "pending" && status !== "running",
    90,
  );
  return { before, after };
}

async function expectWhole({ before, after }: { before: Export; after: Export }): Promise<void> {
  expect(before).toMatchObject({ status: "running", row_count: null });
  expect(after).toMatchObject({ status: "completed", row_count: sessions });
  expect(Date.parse(after.started_at ?? "")).toBeGreaterThan(Date.parse(before.started_at ?? "") + 10_000);
  const file = (await (await fetch(after.download_url ?? "")).json()) as { items: Row[] };
  const stories = file.items.map(({ answers }) => Number.parseInt(String(answers["story"]?.value), 10));
  expect(stories.toSorted((a, b) => a - b)).toEqual(Array.from({ length: sessions }, (_, n) => n));
  expect(new Set(file.items.map(({ id }) => id)).size).toBe(sessions);
}

describe.concurrent("kill -9 while an export is being built", () => {
  it("into a folder: it is begun again and complete, and nothing is left over [exports.lost-worker]", async () => {
    const place = await prepare({});
    const folder = join(place.data, "exports");
    const filesIn = async () => {
      const all = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
      return all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    };
    const outcome = await killedWithin(place, async () => {
      const [file] = await filesIn();
      return file !== undefined && (await stat(file)).size > 1_000_000;
    });
    await expectWhole(outcome);
    expect((await filesIn()).map((name) => name.slice(-7))).toEqual(["-2.json"]);
  }, 180_000);

  it("into a bucket: the upload that was begun is aborted [exports.lost-worker]", async () => {
    const { endpoint, region, credentials } = s3.settings;
    const place = await prepare({
      EXPORT_STORAGE: `s3://${s3.bucket}/files`,
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    });
    const outcome = await killedWithin(place, async () => {
      const [upload] = [...s3.uploads.values()];
      return (upload?.parts.size ?? 0) > 0;
    });
    await expectWhole(outcome);
    const left = await until(
      async () => [...s3.uploads.keys()],
      (uploads) => uploads.length === 0,
    );
    expect(left).toEqual([]);
    expect([...s3.objects.keys()].map((name) => name.slice(-7))).toEqual(["-2.json"]);
  }, 180_000);
});
