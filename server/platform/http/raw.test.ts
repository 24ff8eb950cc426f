import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { slowRoutes, testRoutes } from "../../../testkit/operations.ts";
import { exchange, listen, type RawAnswer } from "../../../testkit/raw-http.ts";
import { patience } from "../../../testkit/slowness.ts";

let t: TestApp;
/** with time enough on a busy machine too */
let port: number;
/** of the same, where requests have little time */
let impatient: number;
let store: TestStore;
const slowSeconds = 0.1;
beforeAll(async () => {
  t = await openTestApp({
    extraRoutes: [...slowRoutes(slowSeconds), ...testRoutes().routes],
    requestTimeoutMs: 1_500,
    elapsed: () => performance.now(),
  });
  impatient = await listen(t.app);
  port = await listen(t.compose({ requestTimeoutMs: 30_000 * patience }));
  store = await t.store();
  await t.update(store, { limits: { capacity: 1_000_000, leak_per_second: 1_000_000 } });
});
afterAll(() => t.close());

/** A problem [api.problems] that repeats its request id, and tells nothing of our insides. */
function expectProblem(answer: RawAnswer | undefined, status: number, title: string): void {
  expect(answer?.status).toBe(status);
  if (!answer) return;
  expect(answer.headers["content-type"]).toBe("application/problem+json");
  expect(answer.headers["request-id"]).toMatch(/^req_[0-9a-f]{32}$/);
  const body = JSON.parse(answer.text);
  expect(body).toMatchObject({
    type: `http://api.test/errors/${title}`,
    title,
    status,
    request_id: answer.headers["request-id"],
  });
  expect(body.detail).toEqual(expect.any(String));
  expect(answer.text).not.toMatch(/node_modules|\\n\s+at |server\/platform|Error:/);
}

it.each([
  [
    "version 1",
    Buffer.from("PROXY TCP4 203.0.113.7 198.51.100.2 51234 8080\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
  ],
  ["version 1 of a check", Buffer.from("PROXY UNKNOWN\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")],
  [
    "version 2",
    Buffer.concat([
      Buffer.from("0d0a0d0a000d0a515549540a2111000ccb007107c6336402c8221f90", "hex"),
      Buffer.from("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
    ]),
  ],
])(
  "says what to switch off in a proxy that speaks the PROXY protocol, %s [operations.proxy-protocol]",
  async (_, sent) => {
    const answers = await exchange(port, [sent]);
    expect(answers).toHaveLength(1);
    expectProblem(answers[0], 422, "validation_error");
    expect(answers[0]?.text).toContain(
      "the PROXY protocol, which is not spoken here: let the proxy send X-Forwarded-For",
    );
  },
);

const mebibyte = 1024 * 1024;
const auth = () => `Host: x\r\nAuthorization: Bearer ${store.key}\r\n`;
const json = "Content-Type: application/json\r\n";
const get = (target: string, headers = "Host: x\r\n", version = "HTTP/1.1") =>
  `GET ${target} ${version}\r\n${headers}\r\n`;
const post = (headers: string, body = "") => `POST /v1/things HTTP/1.1\r\n${auth()}${headers}\r\n${body}`;
const chunked = (body: string) =>
  post(`${json}Transfer-Encoding: chunked\r\n`, `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);

type Row = [name: string, status: number, title: string, send: () => readonly (string | Buffer | number)[]];

const rows: Row[] = [
  ["a request line of garbage", 422, "validation_error", () => ["garbage\r\n\r\n"]],
  ["bytes that are no text", 422, "validation_error", () => [Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10])]],
  ["a TLS greeting", 422, "validation_error", () => [Buffer.from("16030100a5010000a10303aabbccdd", "hex"), "\r\n\r\n"]],
  ["a request line without a version (HTTP/0.9)", 401, "invalid_api_key", () => ["GET /v1/store\r\n\r\n"]],
  ["a version that does not exist", 422, "validation_error", () => [get("/v1/store", "Host: x\r\n", "HTTP/9.9")]],
  ["HTTP/2's preface", 422, "validation_error", () => ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]],
  ["a request line without a target", 422, "validation_error", () => ["GET  HTTP/1.1\r\n\r\n"]],
  ["a space in the target", 422, "validation_error", () => [get("/v1/st ore")]],
  ["a raw NUL in the path", 422, "validation_error", () => [get("/v1/st\u0000ore")]],
  ["a NUL in a header", 422, "validation_error", () => [get("/v1/store", "Host: x\r\nA: b\u0000c\r\n")]],
  ["a header without a colon", 422, "validation_error", () => [get("/v1/store", "Host: x\r\nnonsense\r\n")]],
  ["a space before the colon", 422, "validation_error", () => [get("/v1/store", "Host : x\r\n")]],
  [
    "one header of 20 KB (the 431 of others)",
    422,
    "validation_error",
    () => [get("/v1/store", `Host: x\r\nA: ${"a".repeat(20_000)}\r\n`)],
  ],
  [
    "headers of 200 KB",
    422,
    "validation_error",
    () => [get("/v1/store", `Host: x\r\n${"A: bbbbbbbb\r\n".repeat(16_000)}`)],
  ],
  ["a target of 100 KB", 422, "validation_error", () => [get(`/${"a".repeat(100_000)}`)]],
  ["a target of 10 KB", 404, "not_found", () => [get(`/${"a".repeat(10_000)}`)]],
  ["an id of 5 KB", 404, "not_found", () => [get(`/v1/things/${"a".repeat(5_000)}`)]],
  ["no Host", 401, "invalid_api_key", () => [get("/v1/store", "")]],
  ["an empty Host", 401, "invalid_api_key", () => [get("/v1/store", "Host:\r\n")]],
  ["HTTP/1.0", 401, "invalid_api_key", () => [get("/v1/store", "", "HTTP/1.0")]],
  ["empty lines before the request", 401, "invalid_api_key", () => [`\r\n\r\n\r\n${get("/v1/store")}`]],
  ["the absolute form", 401, "invalid_api_key", () => [get("http://other.example/v1/store")]],
  ["the absolute form of an unknown path", 404, "not_found", () => [get("http://other.example/v1/nothing")]],
  ["OPTIONS *", 404, "not_found", () => ["OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"]],
  ["bad percent-encoding in the path", 404, "not_found", () => [get("/v1/%zz")]],
  ["half a percent-encoding", 404, "not_found", () => [get("/v1/things/%e0%a4%a")]],
  ["an encoded NUL in the path", 404, "not_found", () => [get("/v1/things/quiz_%00", auth())]],
  ["an encoded slash", 404, "not_found", () => [get("/v1%2Fstore")]],
  ["dots", 404, "not_found", () => [get("/v1/../v1/store")]],
  ["two slashes", 404, "not_found", () => [get("//v1/store")]],
  ["a slash at the end", 404, "not_found", () => [get("/v1/store/")]],
  ["capitals", 404, "not_found", () => [get("/V1/store")]],
  ["an asterisk as path", 404, "not_found", () => [get("*")]],
  ["CONNECT host:port", 404, "not_found", () => ["CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"]],
  ["CONNECT of a path", 404, "not_found", () => ["CONNECT /v1/store HTTP/1.1\r\nHost: x\r\n\r\n"]],
  ["an upgrade to websocket", 401, "invalid_api_key", () => [get("/v1/store", upgrade("websocket"))]],
  ["an upgrade to h2c", 401, "invalid_api_key", () => [get("/v1/store", upgrade("h2c"))]],
  ["Expect: nonsense", 401, "invalid_api_key", () => [get("/v1/store", "Host: x\r\nExpect: nonsense\r\n")]],
  [
    "Expect: 100-continue before a body that is too long",
    422,
    "validation_error",
    () => [post(`${json}Expect: 100-continue\r\nContent-Length: ${2 * mebibyte}\r\n`)],
  ],
  ["Expect: 100-continue without a key", 401, "invalid_api_key", () => [expectBody("{}")]],
  [
    "a body of 2 MiB with its length",
    422,
    "validation_error",
    () => [post(`${json}Content-Length: ${2 * mebibyte}\r\n`, " ".repeat(2 * mebibyte))],
  ],
  ["a body of 2 MiB in chunks", 422, "validation_error", () => [chunked(" ".repeat(2 * mebibyte))]],
  [
    "a body one byte over 1 MiB",
    422,
    "validation_error",
    () => [post(`${json}Content-Length: ${mebibyte + 1}\r\n`, `${" ".repeat(mebibyte - 1)}{}`)],
  ],
  ["a content length that is no number", 422, "validation_error", () => [post(`${json}Content-Length: abc\r\n`)]],
  ["a negative content length", 422, "validation_error", () => [post(`${json}Content-Length: -1\r\n`)]],
  [
    "two content lengths",
    422,
    "validation_error",
    () => [post(`${json}Content-Length: 2\r\nContent-Length: 3\r\n`, "{}")],
  ],
  [
    "both a content length and chunks (request smuggling)",
    422,
    "validation_error",
    () => [post(`${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n`, "0\r\n\r\n")],
  ],
  [
    "a chunk size that is no number",
    422,
    "validation_error",
    () => [post(`${json}Transfer-Encoding: chunked\r\n`, "zz\r\n{}\r\n0\r\n\r\n")],
  ],
  [
    "chunk extensions of 20 KB",
    422,
    "validation_error",
    () => [post(`${json}Transfer-Encoding: chunked\r\n`, `2;${"a".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
  ],
  ["an unknown transfer encoding", 422, "validation_error", () => [post(`${json}Transfer-Encoding: gzip\r\n`, "{}")]],
  [
    "a media type that does not exist",
    422,
    "validation_error",
    () => [post("Content-Type: x\r\nContent-Length: 2\r\n", "{}")],
  ],
  ["an XML body", 422, "validation_error", () => [post("Content-Type: text/xml\r\nContent-Length: 4\r\n", "<a/>")]],
  [
    "a compressed body",
    422,
    "validation_error",
    () => [post(`${json}Content-Encoding: gzip\r\nContent-Length: 2\r\n`, "{}")],
  ],
  [
    "a body of an unknown path",
    404,
    "not_found",
    () => ["POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n{"],
  ],
  ["headers that never end", 504, "timeout", () => ["GET /v1/store HTTP/1.1\r\nHost: x\r\nA: b\r\n"]],
  ["a body that never ends", 504, "timeout", () => [post(`${json}Content-Length: 10\r\n`, "{")]],
];

const upgrade = (protocol: string) =>
  `Host: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n`;
const expectBody = (body: string) =>
  `POST /v1/things HTTP/1.1\r\nHost: x\r\n${json}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe("requests that no client library would send", () => {
  it.for(rows)(
    "answers %s with %i %s, a problem with its request id [api.request-ids, api.problems]",
    async ([, status, title, send]) => {
      const answers = await exchange(status === 504 ? impatient : port, send());
      expectProblem(answers[0], status, title);
      expect(answers.length).toBe(1);
    },
  );

  it.for(["QUERY", "PROPFIND", "PURGE", "FOO", "TRACE", "PUT", "get"])(
    "answers the method %s with 405 and Allow on a known path, 404 on an unknown one [api.methods]",
    async (method) => {
      const known = await exchange(port, [`${method} /v1/store HTTP/1.1\r\nHost: x\r\n\r\n`]);
      expectProblem(known[0], 405, "method_not_allowed");
      expect(known[0]?.headers["allow"]).toBe("GET, HEAD");
      const withId = await exchange(port, [`${method} /v1/things/x/touch?a=b HTTP/1.1\r\nHost: x\r\n\r\n`]);
      expect(withId[0]?.headers["allow"]).toBe("POST");
      expectProblem((await exchange(port, [`${method} /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n`]))[0], 404, "not_found");
    },
  );

  it("gives every answer of one connection an id of its own, garbage at its end included [api.request-ids]", async () => {
    const ahead = `${get("/v1/store", auth())}${get("/v1/nothing")}${get("/v1/store")}garbage\r\n\r\n`;
    const answers = await exchange(port, [ahead], 4);
    expect(answers.map((answer) => answer.status)).toEqual([200, 404, 401, 422]);
    expect(new Set(answers.map((answer) => answer.headers["request-id"])).size).toBe(4);
  });

  it("ignores an unknown expectation of a request that is in order", async () => {
    const answers = await exchange(port, [get("/v1/store", `${auth()}Expect: nonsense\r\n`)]);
    expect(answers[0]?.status).toBe(200);
    const body = '{"label":"a"}';
    const made = await exchange(port, [
      post(`${json}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n`, body),
    ]);
    expect(made[0]?.status).toBe(201);
  });

  it("goes on with the same connection after a body that was too long [api.body-bounds]", async () => {
    const tooLong = post(`${json}Content-Length: ${2 * mebibyte}\r\n`, " ".repeat(2 * mebibyte));
    // the first answer comes before the body is read to its end, the second whenever that is
    const answers = await exchange(port, [tooLong, get("/v1/store", auth())], 2);
    expect(answers.map((answer) => answer.status)).toEqual([422, 200]);
  });

  it("answers once a request whose body is refused before all of it is there, and never comes [api.body-bounds]", async () => {
    const tooLong = post(`${json}Content-Length: ${2 * mebibyte}\r\n`, "{");
    const unsized = post(`${json}Transfer-Encoding: chunked\r\n`, `${(2 * mebibyte).toString(16)}\r\n`);
    for (const pieces of [
      [tooLong, 3_200],
      [post(`${json}Expect: 100-continue\r\nContent-Length: ${2 * mebibyte}\r\n`), 3_200],
      [unsized, " ".repeat(mebibyte + 10), 300, "garbage\r\n".repeat(200_000)],
    ]) {
      const answers = await exchange(impatient, pieces);
      expect(answers.map((answer) => answer.status)).toEqual([422]);
    }
  });

  it("works at one request of a connection at a time, however many are sent ahead [api.connections]", async () => {
    const started = performance.now();
    const socket = connect(port, "127.0.0.1").setEncoding("latin1");
    const slow = get("/v1/slow", auth());
    socket.write(`${slow.repeat(3)}${get("/v1/slow", `${auth()}Connection: close\r\n`)}`);
    let text = "";
    for await (const chunk of socket) text += chunk;
    expect(text.match(/HTTP\/1\.1 200 /g)?.length).toBe(4);
    expect(performance.now() - started).toBeGreaterThan(4 * slowSeconds * 1_000);
  });

  it("has others' turn between requests that a client sent ahead [api.connections]", async () => {
    const [ahead, other] = [connect(impatient, "127.0.0.1"), connect(impatient, "127.0.0.1")];
    await Promise.all([once(ahead, "connect"), once(other, "connect")]);
    const answered: string[] = [];
    const note = (request: IncomingMessage, response: ServerResponse) =>
      response.once("finish", () => {
        answered.push(request.headers.host ?? "");
        if (answered.length === 1) other.write(get("/v1/store", "Host: other\r\n"));
      });
    t.app.server.on("request", note);
    ahead.write(get("/v1/store", "Host: ahead\r\n").repeat(300));
    await once(other, "data");
    for (let tries = 0; answered.length <= 300 && tries < 100 * patience; tries += 1) await pause(20);
    t.app.server.off("request", note);
    expect(answered).toHaveLength(301);
    expect(answered.indexOf("other")).toBeLessThan(50);
    for (const socket of [ahead, other]) socket.destroy();
  });

  it("forgets what a client sent ahead that hangs up in between [api.connections]", async () => {
    const before = t.app.underWay.count;
    for (let round = 0; round < 10; round += 1) {
      const ahead = connect(impatient, "127.0.0.1");
      ahead.on("error", () => undefined);
      ahead.write(get("/v1/store").repeat(300));
      await once(ahead, "data");
      ahead.resetAndDestroy();
    }
    for (let tries = 0; t.app.underWay.count > before && tries < 50 * patience; tries += 1) await pause(20);
    expect(t.app.underWay.count).toBe(before);
  });

  it("lets go of a client that reads nothing of what it asked for [api.connections]", async () => {
    const socket = connect(impatient, "127.0.0.1");
    socket.on("error", () => undefined);
    await once(socket, "connect");
    // more than the system's buffers take
    socket.write(get("/openapi.json").repeat(200));
    const connected = () =>
      new Promise<number>((resolve) => t.app.server.getConnections((_error, count) => resolve(count)));
    expect(await connected()).toBeGreaterThan(0);
    for (let tries = 0; (await connected()) > 0 && tries < 80 * patience; tries += 1) await pause(100);
    expect(await connected()).toBe(0);
    socket.destroy();
  });

  it("survives clients that reset in the middle of a request", async () => {
    for (const start of [
      "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
      "garb",
      post(`${json}Content-Length: 9\r\n`, "{"),
    ]) {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      socket.write(start);
      socket.resetAndDestroy();
    }
    expect((await exchange(port, [get("/v1/store", auth())]))[0]?.status).toBe(200);
  });
});
