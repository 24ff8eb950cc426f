import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { context, propagation, ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { timed } from "../../../testkit/timed.ts";
import { Deadlines } from "../deadline.ts";
import { createApp } from "../http/app.ts";
import { openLog } from "../log.ts";
import { openTracing } from "./open-telemetry.ts";
import type { SamplerName } from "./samplers.ts";
import { beginSpan, tracePart, traceWhole } from "./spans.ts";
import { statementSpan } from "./statements.ts";

/** A receiver of traces as JSON over HTTP, of our own. */
interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  kind: number;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code?: number };
}

interface Received {
  resourceSpans: { resource: { attributes: { key: string }[] }; scopeSpans: { spans: ReceivedSpan[] }[] }[];
}

let receiver: Server;
let bodies: Received[];
let headers: Record<string, unknown>[];
const logged: string[] = [];
const log = openLog("warn", { write: (line: string) => void logged.push(line) });

beforeEach(async () => {
  bodies = [];
  headers = [];
  receiver = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    headers.push(request.headers);
    bodies.push(JSON.parse(text) as Received);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
});

afterEach(() => void receiver.close());

const open = (sampler: SamplerName = "parentbased_always_on", ratio = 1) => {
  const { port } = receiver.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1/traces`;
  return openTracing({ url, headers: { "x-team": "shops" }, serviceName: "quizstore-test", sampler, ratio }, log);
};

/** As a request with these headers does. */
const begin = (headers: Record<string, string>) =>
  beginSpan({ name: "GET /x", kind: SpanKind.SERVER }, propagation.extract(ROOT_CONTEXT, headers));

const received = (): ReceivedSpan[] =>
  bodies.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );

const attributeOf = (span: ReceivedSpan | undefined, key: string): unknown =>
  Object.values(span?.attributes.find((attribute) => attribute.key === key)?.value ?? {})[0];

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

describe("traces [operations.traces]", () => {
  it("take a caller's trace over, with parts inside of it, and are sent when the tracer closes", async () => {
    const close = open();
    const request = begin({ traceparent: parent, tracestate: "a=1" });
    await context.with(trace.setSpan(ROOT_CONTEXT, request), async () => {
      await tracePart({ name: "facts question" }, async (span) => {
        span.setAttribute("rows", 3);
        await tracePart(statementSpan("SELECT a FROM stores WHERE id = $1"), async () => undefined);
      });
    });
    request.end();
    await close();
    const [statement, question, root] = received();
    expect([root?.traceId, root?.parentSpanId, root?.traceState, root?.kind]).toEqual([
      "0af7651916cd43dd8448eb211c80319c",
      "b7ad6b7169203331",
      "a=1",
      2,
    ]);
    expect([question?.parentSpanId, statement?.parentSpanId]).toEqual([root?.spanId, question?.spanId]);
    expect([statement?.name, statement?.kind, attributeOf(statement, "db.query.text")]).toEqual([
      "SELECT stores",
      3,
      "SELECT a FROM stores WHERE id = $1",
    ]);
    expect(attributeOf(question, "rows")).toBe(3);
    expect(JSON.stringify(bodies[0]?.resourceSpans[0]?.resource)).toContain("quizstore-test");
    expect(headers[0]).toMatchObject({ "x-team": "shops", "content-type": "application/json" });
  });

  it.each([
    ["", "none"],
    ["nonsense", "malformed"],
    ["00-00000000000000000000000000000000-b7ad6b7169203331-01", "no trace"],
    ["00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", "no span"],
    [`${parent}-more`, "more parts than its version has"],
    ["ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a version that cannot be"],
  ])("begin anew for a caller with %j: %s (W3C Trace Context)", async (traceparent) => {
    const close = open();
    begin({ traceparent }).end();
    await close();
    const [span] = received();
    expect(span?.parentSpanId ?? "").toBe("");
    expect(span?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span?.traceId).not.toBe("0af7651916cd43dd8448eb211c80319c");
  });

  it("record nothing of a part that belongs to no span, such as a look at due work each second", async () => {
    const close = open();
    expect(await tracePart({ name: "SELECT sessions" }, async () => 5)).toBe(5);
    await close();
    expect(received()).toEqual([]);
  });

  it("say of a failure what kind it was, never what it said", async () => {
    const close = open();
    const work = traceWhole({ name: "export build" }, async () => {
      throw new TypeError("jane@example.com is odd");
    });
    await expect(work).rejects.toThrow("jane@example.com is odd");
    await close();
    const [span] = received();
    expect([span?.status.code, attributeOf(span, "error.type")]).toEqual([2, "TypeError"]);
    expect(JSON.stringify(bodies)).not.toContain("jane");
  });

  it.each([
    ["always_off", 1, 0],
    ["traceidratio", 0, 0],
    ["traceidratio", 1, 20],
    ["parentbased_always_off", 1, 0],
    ["parentbased_traceidratio", 1, 20],
    ["always_on", 0, 20],
  ] as const)("are recorded as the sampler %s of %d says", async (sampler, ratio, expected) => {
    const close = open(sampler, ratio);
    for (let n = 0; n < 20; n += 1) beginSpan({ name: "GET /x" }).end();
    await close();
    expect(received().length).toBe(expected);
  });

  it("keep no request waiting, and the end of the program a few seconds at most, when nobody receives them", async () => {
    const close = open();
    receiver.closeAllConnections();
    receiver.close();
    beginSpan({ name: "GET /x" }).end();
    expect((await timed(close)).ranMs).toBeLessThan(8_000);
    expect(logged.join()).toContain("traces could not be sent");
  });
});

describe("a request that is not recorded [operations.traces]", () => {
  it("is no part of the one before it on its connection", async () => {
    const close = open("parentbased_always_off");
    const elapsed = () => performance.now();
    const newRequestId = () => "req_1";
    const app = createApp({
      ...{ baseUrl: "http://localhost", log, deadlines: new Deadlines(elapsed), elapsed, newRequestId },
      trustProxy: 0,
    });
    for (const name of ["recorded", "other"]) app.get(`/${name}`, () => tracePart({ name }, async () => name));
    await app.listen({ port: 0, host: "127.0.0.1" });
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    // sent ahead of the first answer, and the last closes the connection
    socket.write(`GET /recorded HTTP/1.1\r\nHost: x\r\ntraceparent: ${parent}\r\n\r\n`);
    socket.write("GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    socket.resume();
    await once(socket, "close");
    await app.close();
    await close();
    expect(received().map(({ name }) => name)).toEqual(["recorded", "GET /recorded"]);
  });
});

describe("the span of a statement", () => {
  it.each([
    ["/* due: across stores */ SELECT store_id FROM outbox WHERE due_at <= $1 LIMIT 100", "SELECT outbox"],
    ["INSERT INTO sessions (store_id) VALUES ($1)", "INSERT sessions"],
    ['update "stores" set name = $1', "UPDATE stores"],
    ["BEGIN; SET LOCAL lock_timeout = 2000", "BEGIN"],
    ["WITH a AS (SELECT 1) SELECT * FROM a", "WITH a"],
  ])("is named after what it does: %s", (sql, name) => {
    expect(statementSpan(sql)).toMatchObject({ name, kind: SpanKind.CLIENT, attributes: { "db.query.text": sql } });
  });
});
