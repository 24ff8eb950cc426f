import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { register } from "prom-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { neverWoken, openTestApp, type TestApp } from "../../testkit/app.ts";
import { TestCopies } from "../../testkit/copies.ts";
import { ClusterNodes } from "../platform/database/nodes.ts";
import type { Runner } from "../platform/database/sql.ts";
import { openLog } from "../platform/log.ts";
import { measureProcess } from "../platform/metrics/process.ts";
import { ReadinessProbe } from "../platform/readiness/readiness.ts";
import { composeWorker } from "./compose-worker.ts";
import { measureProgram } from "./telemetry.ts";

/** Everything that the program counts, wired as it runs. */

let test: TestApp;
let facts: TestCopies;
const closers: (() => unknown)[] = [];
const logged: string[] = [];
const log = openLog("warn", { write: (line: string) => void logged.push(line) });
const readiness = new ReadinessProbe({ checks: {}, elapsed: () => performance.now(), keepMs: 0 });

beforeAll(async () => {
  register.resetMetrics();
  test = await openTestApp({ readiness });
  const { database, foundations } = test;
  const elapsed = () => performance.now();
  facts = new TestCopies({ ...foundations, elapsed });
  closers.push(measureProcess({ startedAt: 0, version: "0" }));
  measure(database);
  const stopWorker = composeWorker({ ...foundations, facts, wakeUp: neverWoken });
  closers.push(stopWorker);
  // copies are opened by their first question
  const store = await test.store();
  await facts.ask(store.uuid, { sql: "SELECT 1", parameters: [] });
});

/** @param nodes where the nodes of a cluster are asked for */
function measure(nodes: { reader(): Runner }): void {
  const { database, calendar } = test;
  const elapsed = () => performance.now();
  measureProgram({
    log,
    calendar,
    elapsed,
    pools: { main: database },
    probes: database,
    counts: database,
    nodes: new ClusterNodes({ database: nodes, elapsed, log }),
    migrationsKnown: 1,
    redisState: async () => "in memory",
    copiesFolder: null,
  });
}

afterAll(async () => {
  for (const close of closers.reverse()) await close();
  await facts.close();
  await test.close();
});

const lines = async (name: string): Promise<string[]> =>
  (await register.metrics()).split("\n").filter((line) => line.startsWith(name));

describe("metrics", () => {
  it("are all explained in docs/observability.md, and nothing else is [operations.metrics]", async () => {
    const text = await readFile(join(import.meta.dirname, "../../docs/observability.md"), "utf8");
    const explained = [...text.matchAll(/^\| `((?:quizstore|process|nodejs)_[a-z0-9_]+)` \| ([^|]*)\|/gm)];
    const counted = register.getMetricsAsArray();
    expect(explained.map(([, name]) => name).sort()).toEqual(counted.map(({ name }) => name).sort());
    for (const [, name, labels = ""] of explained) {
      const known = counted.find((metric) => metric.name === name) as { labelNames?: string[] } | undefined;
      const named = [...labels.matchAll(/`([a-z_]+)`/g)].map(([, label]) => label);
      expect([name, named]).toEqual([name, known?.labelNames ?? []]);
    }
  });

  it("are named as their document's other mentions name them", async () => {
    const text = await readFile(join(import.meta.dirname, "../../docs/observability.md"), "utf8");
    const names = new Set(register.getMetricsAsArray().map(({ name }) => name));
    const mentioned = [...text.matchAll(/\b((?:quizstore|process|nodejs)_[a-z0-9_]+)/g)].map(([, name = ""]) => name);
    expect(mentioned.filter((name) => !names.has(name.replace(/_(count|sum|bucket)$/, "")))).toEqual([]);
  });

  it("count requests by route template, never by what is in an address or a header [operations.metrics]", async () => {
    const store = await test.store();
    const id = "quiz_00000000000000000000000000";
    await test.request("GET", `/v1/quizzes/${id}?limit=jane@example.com`, { key: store.key });
    await test.request("GET", "/v1/store", { key: store.key });
    await test.request("GET", "/nowhere/jane");
    await test.request("PROPFIND", "/v1/store");
    const all = await register.metrics();
    expect(all).not.toMatch(/jane|quiz_0|svc_live/);
    expect(all).not.toContain(store.uuid);
    const counted = await lines("quizstore_http_requests_total");
    expect(counted).toContain('quizstore_http_requests_total{method="GET",route="/v1/store",status="2xx"} 1');
    expect(counted).toContain('quizstore_http_requests_total{method="GET",route="none",status="4xx"} 1');
    expect(counted).toContain('quizstore_http_requests_total{method="other",route="/v1/store",status="4xx"} 1');
    expect(counted.some((line) => line.includes('route="/v1/quizzes/:quiz_id"'))).toBe(true);
    expect(await lines('quizstore_http_request_seconds_count{route="/v1/store"}')).toEqual([
      'quizstore_http_request_seconds_count{route="/v1/store"} 2',
    ]);
  });

  it("count what the limiter decided [operations.metrics]", async () => {
    const store = await test.store();
    await test.update(store, { limits: { capacity: 6 } });
    const before = (await lines("quizstore_limiter_decisions_total")).join("\n");
    for (let n = 0; n < 8; n += 1) await test.request("GET", "/v1/store", { key: store.key });
    expect(before).not.toContain('decision="limited"');
    expect(await lines('quizstore_limiter_decisions_total{rule="api",decision="limited"}')).toHaveLength(1);
  });

  it("tell what the process stands on", async () => {
    expect((await lines("quizstore_database_connections")).length).toBe(3);
    expect((await lines("quizstore_due_work_unread")).map((line) => line.endsWith(" 0"))).toEqual(Array(7).fill(true));
    expect(await lines('quizstore_facts_loads_total{reason="new"}')).toHaveLength(1);
    // as documented: absent without Redis
    expect(await lines("quizstore_redis_connected")).toEqual([]);
  });

  it("tell the event loop's delay in three gauges, whose earlier form says the same [operations.metrics]", async () => {
    const told = await lines("nodejs_eventloop_delay_");
    const values = told.map((line) => Number(line.split(" ")[1]));
    expect(told.map((line) => line.split(" ")[0])).toEqual([
      "nodejs_eventloop_delay_p50_seconds",
      "nodejs_eventloop_delay_p99_seconds",
      "nodejs_eventloop_delay_max_seconds",
      'nodejs_eventloop_delay_seconds{quantile="0.5"}',
      'nodejs_eventloop_delay_seconds{quantile="0.99"}',
      'nodejs_eventloop_delay_seconds{quantile="1"}',
    ]);
    expect(values.slice(0, 3)).toEqual(values.slice(3));
    expect(values.slice(0, 3)).toEqual(values.slice(0, 3).toSorted((a, b) => a - b));
  });

  it("have no label that Prometheus reserves for its own summaries and histograms [operations.metrics]", () => {
    const reserved = register
      .getMetricsAsArray()
      .filter(({ type }) => String(type) !== "histogram" && String(type) !== "summary")
      .filter((metric) =>
        ["quantile", "le"].some((label) => (metric as { labelNames?: string[] }).labelNames?.includes(label)),
      );
    // deprecated
    expect(reserved.map(({ name }) => name)).toEqual(["nodejs_eventloop_delay_seconds"]);
  });

  it("leave out what cannot be read, and tell the rest [operations.metrics]", async () => {
    measure({
      reader: () => {
        throw new Error("away");
      },
    });
    expect(await lines("quizstore_database_nodes_away")).toEqual([]);
    expect((await lines("quizstore_database_connections")).length).toBe(3);
    expect(logged.join()).toContain('"metric":"quizstore_database_nodes_away"');
  });
});

describe("health", () => {
  it("is answered without a key, for both methods, and kept by nobody [operations.health]", async () => {
    for (const path of ["/healthz", "/readyz"]) {
      const { status, headers } = await test.request("GET", path);
      expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
      expect((await test.request("HEAD", path)).status).toBe(200);
      const refused = await test.request("POST", path);
      expect([refused.status, refused.headers["allow"]]).toEqual([405, "GET, HEAD"]);
    }
    expect((await test.request("GET", "/healthz")).body).toEqual({ status: "ok" });
    expect((await test.request("GET", "/readyz")).body).toMatchObject({ status: "ready" });
  });

  it("does not give the figures away: /metrics is no path of the API's port [operations.metrics]", async () => {
    expect((await test.request("GET", "/metrics")).status).toBe(404);
  });

  it("says of a process that stops that it lives and is not ready [operations.health]", async () => {
    readiness.stop();
    const { status, body } = await test.request("GET", "/readyz");
    expect([status, body.status, body.checks.process.status]).toEqual([503, "not_ready", "failed"]);
    expect((await test.request("GET", "/healthz")).status).toBe(200);
  });
});
