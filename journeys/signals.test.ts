import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../testkit/machine.ts";
import { openProxy, type TcpProxy } from "../testkit/proxy.ts";
import { request } from "./http.ts";
import { openDatabase } from "./machines.ts";
import { answers, cleanUp, freshFolder, launch, type Running, run, type Settings, until } from "./program.ts";

/** What an engineer on call sees of a service: health, figures, traces, and what doctor says. */

interface Ready {
  status: string;
  checks: Record<string, { status: string; detail: string }>;
}

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
}

interface Finding {
  check: string;
  status: "ok" | "warn" | "fail";
  detail: string;
  remedy: string | null;
}

/** A receiver of traces, as JSON over HTTP. */
async function openCollector() {
  const texts: string[] = [];
  const server = createServer(async (asked, response) => {
    let text = "";
    for await (const chunk of asked) text += chunk;
    texts.push(text);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const spans = (): Span[] =>
    texts.flatMap((text) =>
      JSON.parse(text).resourceSpans.flatMap((each: { scopeSpans: { spans: Span[] }[] }) =>
        each.scopeSpans.flatMap((scope) => scope.spans),
      ),
    );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, spans, texts, close: () => server.close() };
}

const hush = randomBytes(24).toString("hex");

let database: Awaited<ReturnType<typeof openDatabase>>;
let proxy: TcpProxy;
let collector: Awaited<ReturnType<typeof openCollector>>;
let folder: string;
let settings: Settings;
let serve: Running & { url: string; watch: string };
let work: Running & { watch: string };
let key: string;

beforeAll(async () => {
  [database, folder, collector] = await Promise.all([openDatabase(), freshFolder(), openCollector()]);
  proxy = await openProxy(database.connection);
  const { user = "postgres", database: name } = database.connection;
  const password = String(database.connection.password ?? "none");
  settings = {
    DATABASE_URL: `postgres://${user}:${password}@127.0.0.1:${proxy.port}/${name}`,
    SECRET_KEY: hush,
    BASE_URL: "https://quiz.test",
    METRICS_HOST: "127.0.0.1",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: "quizstore-journey",
  };
  const [port, servePort, workPort] = [await freePort(), await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const watched = (metricsPort: number) => ({ ...settings, METRICS_PORT: String(metricsPort) });
  const args = ["serve", "--data", `${folder}/serve`, "--port", String(port)];
  const isReady = ({ stderr }: { stderr: () => string }): boolean => stderr().includes('"ready"');
  const started = await launch(args, watched(servePort), () => answers(url));
  serve = { ...started, url, watch: `http://127.0.0.1:${servePort}` };
  const worker = await launch(["work", "--data", `${folder}/work`], watched(workPort), isReady);
  work = { ...worker, watch: `http://127.0.0.1:${workPort}` };
  const command = async (...more: string[]) => {
    const outcome = await run([...more, "--data", folder, "--json"], settings);
    if (outcome.status !== 0) throw new Error(outcome.stderr);
    return outcome.json as Record<string, string>;
  };
  const facts = ["--plan", "plus", "--timezone", "Asia/Kolkata", "--currency", "EUR"];
  const shop = await command("store", "create", "--name", "Shop", "--shop-domain", "a.myshopify.com", ...facts);
  const scopes = ["--scopes", "quizzes:read,webhooks:manage"];
  key = (await command("key", "create", "--store", shop["store_id"] ?? "", ...scopes))["key"] ?? "";
}, 120_000);

afterAll(async () => {
  await Promise.all([serve?.stop(), work?.stop()]);
  await proxy?.close();
  collector?.close();
  await database?.drop();
  await cleanUp(folder);
});

const ready = (at: string) => request<Ready>(`${at}/readyz`);

describe("health", () => {
  it("is told by API and worker, each on the port for it, and by the API on its own [operations.health]", async () => {
    for (const at of [serve.url, serve.watch, work.watch]) {
      expect((await request(`${at}/healthz`)).body).toEqual({ status: "ok" });
      const { status, body } = await ready(at);
      expect([status, body.status], JSON.stringify(body)).toEqual([200, "ready"]);
      expect(Object.keys(body.checks)).toEqual(["database", "copies", "cache", "process"]);
    }
  });

  it("turns and returns with the database, while the process lives on [operations.health]", async () => {
    await proxy.cut();
    for (const at of [serve.url, work.watch]) {
      const { status, body, text } = await until(
        () => ready(at),
        (answer) => answer.status === 503,
        15,
      );
      expect([status, body.status, body.checks["database"]?.status]).toEqual([503, "not_ready", "failed"]);
      expect(text).not.toMatch(/127\.0\.0\.1|postgres|ECONN/);
      expect((await request(`${at}/healthz`)).status).toBe(200);
    }
    const figures = await request(`${serve.watch}/metrics`);
    expect(figures.status).toBe(200);
    expect(figures.text).toMatch(/quizstore_due_work_unread\{queue="outbox"\} 1/);
    await proxy.restore();
    for (const at of [serve.url, work.watch]) {
      const { status } = await until(
        () => ready(at),
        (answer) => answer.status === 200,
        20,
      );
      expect(status).toBe(200);
    }
  });
});

describe("metrics", () => {
  it("are served on the port for them alone, and count what was asked [operations.metrics]", async () => {
    await request(`${serve.url}/v1/store`, { headers: { authorization: `Bearer ${key}` } });
    const { status, headers, text } = await request(`${serve.watch}/metrics`);
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect(text).toMatch(/quizstore_http_requests_total\{method="GET",route="\/v1\/store",status="2xx"\} 1/);
    expect(text).not.toContain(key);
    expect((await request(`${serve.url}/metrics`)).status).toBe(404);
    const worker = await request(`${work.watch}/metrics`);
    expect(worker.text).toMatch(/quizstore_worker_run_seconds_count\{task="events",outcome="done"\} \d+/);
    expect((await request(`${serve.watch}/v1/store`)).status).toBe(404);
    expect((await request(`${serve.watch}/metrics`, { method: "POST" })).status).toBe(405);
  });
});

const doctor = async (more: Settings = {}) => {
  const outcome = await run(["doctor", "--data", folder, "--json"], { ...settings, ...more });
  const { findings = [] } = (outcome.json ?? {}) as { findings?: Finding[] };
  return { ...outcome, failed: findings.filter(({ status }) => status === "fail"), findings };
};

describe("doctor", () => {
  it("finds nothing to mend in a service that works, and shows no secret [command-line.doctor]", async () => {
    const { status, failed, findings, stdout } = await doctor({ DATABASE_URL: database.url });
    // the server of the tests writes nothing through to the disk, which doctor is right to mind
    const [trial] = failed;
    const other = failed.filter(({ detail }) => !detail.includes("fsync"));
    expect([status, other]).toEqual([trial ? 1 : 0, []]);
    expect(findings.map(({ check }) => check)).toEqual([
      ...[
        "settings",
        "data folder",
        "copies",
        "player",
        "dashboard",
        "memory",
        "storage",
        "cache",
        "mail",
        "connection",
        "migrations",
        "database",
        "clock",
      ],
      ...["secret key", "due work", "webhooks", "time zones"],
    ]);
    expect(findings.find(({ check }) => check === "secret key")?.detail).toBe("a stored secret opens with it");
    expect(stdout).not.toContain(hush);
  });

  it("says what to do about a key that is not the one, a Redis and a database that are away [command-line.doctor]", async () => {
    const other = await doctor({ SECRET_KEY: randomBytes(24).toString("hex") });
    expect(other.status).toBe(1);
    expect(other.failed.map(({ detail }) => detail).join()).toContain("is not the key");
    const away = await doctor({
      DATABASE_URL: "postgres://me@127.0.0.1:1/none",
      REDIS_URL: "redis://:hush@127.0.0.1:1",
    });
    expect([away.status, away.failed.map(({ check }) => check)]).toEqual([1, ["cache", "connection"]]);
    for (const { remedy } of away.failed) expect(remedy).not.toBeNull();
    expect(away.stdout).not.toContain("hush");
  });
});

describe("a process that is told to stop", () => {
  it("says that it is not ready, serves on, ends what is under way, and sends its last traces [operations.stop, operations.traces]", async () => {
    const parent = { traceId: randomBytes(16).toString("hex"), spanId: randomBytes(8).toString("hex") };
    const body = JSON.stringify({ url: "https://93.184.216.34/hook", topics: ["quiz.finished"] });
    const socket = connect(Number(new URL(serve.url).port), "127.0.0.1");
    let answer = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      answer += chunk;
    });
    const head = ["POST /v1/webhooks HTTP/1.1", "Host: quiz.test", `Authorization: Bearer ${key}`];
    const more = ["Content-Type: application/json", `Content-Length: ${body.length}`];
    const trace = `traceparent: 00-${parent.traceId}-${parent.spanId}-01`;
    socket.write(`${[...head, ...more, trace].join("\r\n")}\r\n\r\n${body.slice(0, 10)}`);
    const under = /quizstore_http_requests_under_way 1/;
    const figures = await until(
      () => request(`${serve.watch}/metrics`),
      ({ text }) => under.test(text),
      10,
    );
    expect(figures.text, answer).toMatch(under);
    const ended = serve.stop();
    const { status, body: told } = await until(
      () => ready(serve.url),
      (each) => each.status === 503,
      10,
    );
    expect([status, told.checks["process"]?.status, told.checks["database"]?.status]).toEqual([503, "failed", "ok"]);
    const meanwhile = await request(`${serve.url}/v1/store`, { headers: { authorization: `Bearer ${key}` } });
    expect([meanwhile.status, meanwhile.headers.get("connection")]).toEqual([200, "close"]);
    expect((await request(`${serve.watch}/healthz`)).status).toBe(200);
    socket.write(body.slice(10));
    await once(socket, "close");
    expect(answer).toMatch(/^HTTP\/1\.1 (201|422) /);
    expect(await ended).toBe(0);
    const spans = collector.spans();
    const mine = spans.filter(({ traceId }) => traceId === parent.traceId);
    const asked = mine.find(({ name }) => name === "POST /v1/webhooks");
    expect(asked?.parentSpanId).toBe(parent.spanId);
    // a body read from the socket does not lose the request's trace
    const statements = mine.filter(({ parentSpanId }) => parentSpanId === asked?.spanId);
    expect(statements.map(({ name }) => name)).toContain("BEGIN");
    expect(collector.texts.join()).toContain("quizstore-journey");
    for (const secret of [key, hush, "93.184.216.34"]) expect(collector.texts.join()).not.toContain(secret);
    // what looks for due work each second is no trace
    expect(spans.filter(({ name, parentSpanId }) => name.startsWith("SELECT") && !parentSpanId)).toEqual([]);
  }, 60_000);
});
