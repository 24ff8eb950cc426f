import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { linkOf, putExport, storageOf } from "../../testkit/exports.ts";
import { listen } from "../../testkit/raw-http.ts";
import { openS3, type S3Stub } from "../../testkit/s3.ts";
import { patience } from "../../testkit/slowness.ts";
import { S3Files } from "../platform/files/s3.ts";
import { type FileStorage, storageFailed } from "../platform/files/types.ts";
import { openSecrets } from "../platform/secrets.ts";
import { fileName, parseExportId } from "./export-rows.ts";
import { mintLink, readLink } from "./links.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ plan: "enterprise" });
});
afterAll(() => t.close());
beforeEach(() => t.passTime(60_000));

const content = '\ufeffname,score\r\n"Zoë, ""Z""",1\r\n';
const bytes = Buffer.from(content);
const sha = (of: Buffer) => createHash("sha256").update(of).digest("base64");
const fetchLink = (link: string, headers: Record<string, string> = {}, method = "GET") =>
  t.request(method, link, { headers });
const completed = async (given = {}) => linkOf(t, store, await putExport(t, store, { text: content, ...given }));

describe("a download [exports.download]", () => {
  it("needs no key and carries name, type, size and digest [exports.download, exports.digest]", async () => {
    const link = await completed();
    const answer = await fetchLink(link);
    expect([answer.status, answer.text]).toEqual([200, content]);
    expect(answer.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": 'attachment; filename="responses-2026-03-10.csv"',
      "content-length": String(bytes.length),
      "repr-digest": `sha-256=:${sha(bytes)}:`,
      etag: `"${createHash("sha256").update(bytes).digest("base64url")}"`,
      "accept-ranges": "bytes",
      "cache-control": "private, no-store, no-transform",
      "x-content-type-options": "nosniff",
      "request-id": expect.stringMatching(/^req_/),
    });
    const json = await fetchLink(await completed({ format: "json", dataset: "quiz_analytics", text: "{}" }));
    expect(json.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "content-disposition": 'attachment; filename="quiz_analytics-2026-03-10.json"',
    });
  });

  it("answers HEAD as GET, without the body", async () => {
    const link = await completed();
    const [head, whole] = [await fetchLink(link, {}, "HEAD"), await fetchLink(link)];
    const without = ({ "request-id": _, date: __, ...headers }: typeof head.headers) => headers;
    expect([head.status, head.text, without(head.headers)]).toEqual([200, "", without(whole.headers)]);
    const part = await fetchLink(link, { range: "bytes=3-6" }, "HEAD");
    expect([part.status, part.headers["content-range"], part.headers["content-length"]]).toEqual([
      206,
      `bytes 3-6/${bytes.length}`,
      "4",
    ]);
  });

  it("answers one range with 206, and resumes by If-Range [exports.ranges]", async () => {
    const link = await completed();
    const first = await fetchLink(link, { range: "bytes=0-9" });
    expect([first.status, first.text]).toEqual([206, bytes.subarray(0, 10).toString()]);
    expect(first.headers).toMatchObject({
      "content-range": `bytes 0-9/${bytes.length}`,
      "content-length": "10",
      "repr-digest": `sha-256=:${sha(bytes)}:`,
    });
    const etag = String(first.headers["etag"]);
    const rest = await fetchLink(link, { range: "bytes=10-", "if-range": etag, "accept-encoding": "gzip" });
    expect([rest.status, first.text + rest.text]).toEqual([206, content]);
    const changed = await fetchLink(link, { range: "bytes=10-", "if-range": '"other"' });
    expect([changed.status, changed.text]).toEqual([200, content]);
    const several = await fetchLink(link, { range: "bytes=0-1,4-5" });
    expect([several.status, several.text]).toEqual([200, content]);
  });

  it("answers a range beyond the file with 416 and the file's size [exports.ranges]", async () => {
    const answer = await fetchLink(await completed(), { range: `bytes=${bytes.length}-` });
    expect([answer.status, answer.body.title]).toEqual([416, "range_not_satisfiable"]);
    expect(answer.headers["content-type"]).toBe("application/problem+json");
    expect(answer.headers["content-range"]).toBe(`bytes */${bytes.length}`);
    expect(answer.headers["repr-digest"]).toBeUndefined();
    expect((await t.request("GET", "/errors/range_not_satisfiable")).status).toBe(200);
  });

  it("answers 304 to a client that holds the file [exports.download]", async () => {
    const link = await completed();
    const etag = String((await fetchLink(link)).headers["etag"]);
    const answer = await fetchLink(link, { "if-none-match": `"x", ${etag}` });
    expect([answer.status, answer.text, answer.headers["etag"]]).toEqual([304, "", etag]);
    expect(answer.headers["content-length"]).toBeUndefined();
    expect(answer.headers["cache-control"]).toBe("private, no-store, no-transform");
    expect(answer.headers["repr-digest"]).toBe(`sha-256=:${sha(bytes)}:`);
  });

  it("any range is of the file's bytes (property)", async () => {
    const link = await completed();
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(60), async (start, more) => {
        const answer = await t.app.inject({
          method: "GET",
          url: link,
          headers: { range: `bytes=${start}-${start + more}` },
        });
        expect(answer.statusCode).toBe(206);
        expect(answer.rawPayload.equals(bytes.subarray(start, start + more + 1))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

describe("links [exports.one-file]", () => {
  const refused = async (link: string, method = "GET") => {
    const answer = await fetchLink(link, {}, method);
    expect([link, answer.status]).toEqual([link, 404]);
    if (method === "GET") expect(answer.body).toMatchObject({ title: "not_found", detail: "Not found" });
    expect(answer.headers["content-disposition"]).toBeUndefined();
  };

  it("end after an hour, and with the file", async () => {
    const id = await putExport(t, store, { text: content });
    const link = await linkOf(t, store, id);
    t.calendar.advance(60 * 60 * 1000 - 1);
    expect((await fetchLink(link)).status).toBe(200);
    t.calendar.advance(1);
    await refused(link);
    await refused(link, "HEAD");
    t.calendar.advance(7 * 24 * 60 * 60 * 1000 - 90 * 60 * 1000);
    const last = await linkOf(t, store, id);
    t.calendar.advance(30 * 60 * 1000);
    await refused(last);
  });

  it("lead nowhere when they are tampered with, in any character", async () => {
    const link = await completed();
    const token = link.slice(link.indexOf("=") + 1);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...alphabet), async (at, character) => {
        fc.pre(token[at] !== character);
        await refused(link.replace(token, token.slice(0, at) + character + token.slice(at + 1)));
      }),
      { numRuns: 60 },
    );
    const [path = ""] = link.split("?");
    for (const query of ["", "?token=", `?token=${token}=`, `?token=${token}&token=${token}`, `?token=${token}&x=1`]) {
      await refused(path + query);
    }
  });

  it("reach no other export, not even one of the same store", async () => {
    const other = await t.store();
    const [mine, sibling, foreign] = [await putExport(t, store), await putExport(t, store), await putExport(t, other)];
    const token = (await linkOf(t, store, mine)).split("?")[1];
    for (const id of [
      sibling,
      foreign,
      `exp_${"0".repeat(32)}`,
      "exp_1",
      mine.toUpperCase(),
      `quiz_${mine.slice(4)}`,
    ]) {
      await refused(`/exports/${id}?${token}`);
    }
    // signed for the store that has it, or for nobody
    const row = { id: parseExportId(foreign) ?? "", expires_at: new Date(t.calendar.now() + 1e9) };
    const { path } = mintLink(t.foundations.secrets, { storeId: store.uuid, row, now: t.calendar.now() });
    await refused(path);
  });

  it("of another secret key or another use are none (property)", () => {
    const [one, two] = ["one", "two"].map((name) => openSecrets(`${name} secret key of enough length`, randomBytes));
    const uuid = fc.uuid();
    const time = fc.integer({ min: 1, max: 2 ** 47 });
    fc.assert(
      fc.property(uuid, uuid, uuid, time, fc.nat(1e9), (storeId, id, another, now, left) => {
        const row = { id, expires_at: new Date(now + left) };
        const { path, expiresAt } = mintLink(one!, { storeId, row, now });
        const token = path.slice(path.indexOf("=") + 1);
        expect(expiresAt - now).toBe(Math.min(left, 3_600_000));
        const read = (secrets = one!, exportId = id, at = now) => readLink(secrets, { exportId, token, now: () => at });
        expect(read()).toEqual(left > 0 ? { storeId } : null);
        expect(read(one!, id, expiresAt)).toBeNull();
        expect(read(two!)).toBeNull();
        if (another !== id) expect(read(one!, another)).toBeNull();
      }),
    );
  });

  it("take GET and HEAD, and no body", async () => {
    const link = await completed();
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const answer = await fetchLink(link, {}, method);
      expect([answer.status, answer.headers["allow"]]).toEqual([405, "GET, HEAD"]);
    }
    const answer = await t.request("GET", link, { body: { x: 1 } });
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, "body"]);
  });
});

/** A storage whose every read is answered by `read`. */
const reading = (read: FileStorage["read"]): FileStorage => ({ ...storageOf(t), read, close: () => undefined });

describe("a storage that fails [exports.storage-away]", () => {
  it.each([
    ["when it is asked", async () => Promise.reject(Object.assign(new Error("away"), { code: "ECONNREFUSED" }))],
    [
      "before the first byte",
      async () =>
        new Readable({
          read() {
            this.destroy(new Error("broken"));
          },
        }),
    ],
  ])("%s is a 502 with no trace of a file", async (_, read) => {
    const link = await completed();
    const app = t.compose({ files: reading(() => read().catch((error) => Promise.reject(storageFailed(error)))) });
    const answer = await app.inject({ url: link });
    expect([answer.statusCode, answer.json().title]).toEqual([502, "upstream_error"]);
    expect(answer.headers).not.toHaveProperty("content-disposition");
    expect(answer.headers).not.toHaveProperty("repr-digest");
  });

  it("after the first bytes cuts the answer off", async () => {
    const link = await completed();
    const app = t.compose({ files: reading(async () => Readable.from(failing())) });
    const port = await listen(app);
    const error = await fetch(`http://127.0.0.1:${port}${link}`)
      .then((answer) => answer.text())
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
  });

  it("that has lost the file is a 502, and one that has just removed it a 404", async () => {
    const id = await putExport(t, store, { text: content });
    const link = await linkOf(t, store, id);
    await storageOf(t).remove(fileName(store.uuid, { id: parseExportId(id) ?? "", format: "csv" }, 1));
    expect((await fetchLink(link)).status).toBe(502);
    const files = storageOf(t);
    const late = reading(async (name) => {
      t.calendar.advance(8 * 24 * 60 * 60 * 1000);
      return files.read(name);
    });
    expect((await t.compose({ files: late }).inject({ url: link })).statusCode).toBe(404);
  });
});

async function* failing(): AsyncGenerator<Buffer> {
  yield bytes.subarray(0, 4);
  await pause(20);
  throw new Error("broken");
}

describe("over a real connection", () => {
  let port: number;
  let s3: S3Stub;
  let files: FileStorage;
  beforeAll(async () => {
    s3 = await openS3();
    files = new S3Files({ bucket: "exports", prefix: "x/" }, s3.settings);
    port = await listen(t.compose({ files }));
  });
  afterAll(() => s3.close());
  const open = async (link: string, headers: Record<string, string>): Promise<IncomingMessage> => {
    const [answer] = await once(get(`http://127.0.0.1:${port}${link}`, { headers }), "response");
    return answer as IncomingMessage;
  };

  it.each([
    // what proxies send of their own accord
    "gzip",
    "gzip, deflate, br, zstd",
    "gzip;q=1, identity;q=0.2",
    // only such a client asks for nothing but a coded file; a file as it is can still be used, an error cannot
    "gzip, identity;q=0",
  ])("sends the file as it is stored for Accept-Encoding: %s [exports.as-stored, exports.digest]", async (coding) => {
    const long = Buffer.from(content.repeat(20_000));
    const link = await completed({ text: long.toString(), files });
    const answer = await open(link, { "accept-encoding": coding, te: "trailers" });
    const sent = await buffer(answer);
    expect([answer.statusCode, answer.headers["content-encoding"]]).toEqual([200, undefined]);
    expect([answer.headers["vary"], answer.headers["trailer"], answer.trailers]).toEqual([undefined, undefined, {}]);
    expect(answer.headers["content-length"]).toBe(String(long.length));
    expect(answer.headers["repr-digest"]).toBe(`sha-256=:${sha(sent)}:`);
    expect(sent.equals(long)).toBe(true);
    const rest = await open(link, {
      ...{ "accept-encoding": coding, range: "bytes=1000-" },
      "if-range": String(answer.headers["etag"]),
    });
    expect([rest.statusCode, (await buffer(rest)).equals(long.subarray(1000))]).toEqual([206, true]);
  });

  it("sends what is in a bucket, in parts as well, and the digest of what fetch receives [exports.storage, exports.digest]", async () => {
    const link = await completed({ files });
    const answer = await fetch(`http://127.0.0.1:${port}${link}`);
    const body = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get("repr-digest")).toBe(`sha-256=:${sha(body)}:`);
    expect(body.equals(bytes)).toBe(true);
    expect(await text(await open(link, { range: "bytes=3-6" }))).toBe("name");
    s3.refuse = () => 403;
    const refused = await fetch(`http://127.0.0.1:${port}${link}`);
    expect([refused.status, ((await refused.json()) as { title: string }).title]).toEqual([502, "upstream_error"]);
    s3.refuse = null;
  });

  it("reads no further than the client takes, and stops when it has gone [exports.download]", async () => {
    const piece = randomBytes(64 * 1024);
    let [read, ended] = [0, false];
    const endless = new Readable({
      read() {
        read += piece.length;
        this.push(piece);
      },
      destroy(error, done) {
        ended = true;
        done(error);
      },
    });
    const link = await completed({ files });
    const slow = await listen(t.compose({ files: reading(async () => endless) }));
    const request = get(`http://127.0.0.1:${slow}${link}`);
    request.on("error", () => undefined);
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    answer.pause();
    let before = -1;
    while (before !== read) {
      before = read;
      await pause(100);
    }
    expect(read).toBeLessThan(32 * 1024 * 1024);
    request.destroy();
    for (let tries = 0; !ended && tries < 100 * patience; tries += 1) await pause(10);
    expect(ended).toBe(true);
  });
});
