import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { domainOf, postWebhook } from "../../testkit/commerce.ts";
import { newUrl } from "../../testkit/endpoints.ts";
import { exchange, listen } from "../../testkit/raw-http.ts";
import { settleTenant, type Tenant } from "../../testkit/tenants.ts";
import { type BuiltFiles, nothingBuilt } from "../web/open-built.ts";

/** What every answer tells a browser, a proxy and a cache about itself, by the kind of answer. */

type Headers = Record<string, string | string[] | number | undefined>;
interface Answer {
  statusCode: number;
  headers: Headers;
}
type Ask = (
  url: string,
  more?: { method?: string; key?: string | null; body?: unknown; headers?: Record<string, string> },
) => Promise<Answer>;

let t: TestApp;
let tenant: Tenant;
let ask: Ask;
let port: number;
/** As a server has it that serves shoppers; the loader alone is left out, as before a build. */
const player: BuiltFiles = { ...nothingBuilt, state: "ready" };
const dashboard: BuiltFiles = {
  state: "ready",
  manifest: { sources: "test", loader: null, main: "dashboard/assets/main-Ab12Cd34.js", styles: [], files: [] },
  file: () => null,
};

beforeAll(async () => {
  t = await openTestApp({ player, dashboard });
  tenant = await settleTenant(t, "mark");
  ask = asker(t.app);
  port = await listen(t.app);
}, 60_000);
afterAll(() => t.close());
beforeEach(() => t.passTime(60_000));

const asker =
  (app: FastifyInstance): Ask =>
  (url, { method = "GET", key = tenant.store.key, body, headers = {} } = {}) =>
    app.inject({
      ...{ method: method as "GET", url },
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });

const quizPath = () => `/v1/quizzes/${tenant.names.quiz}`;
const liveUrl = () => `/storefront/v1/quizzes/${tenant.names.quiz}?store=${tenant.names.publishable}`;
const hostedUrl = () => `/q/${tenant.names.publishable}/${tenant.names.quiz}`;
const overview = "/v1/analytics/overview";
const tagOf = async (url: string) => String((await ask(url)).headers["etag"]);

/** What no shared cache may keep, by kind: the status, and how to get one. */
const keyed: Record<string, [status: number, () => Promise<Answer>]> = {
  "an answer": [200, () => ask("/v1/store")],
  "an answer to HEAD": [200, () => ask("/v1/store", { method: "HEAD" })],
  "personal data": [200, () => ask(`/v1/profiles/${tenant.names.person}`)],
  figures: [200, () => ask(overview)],
  "figures that did not change": [
    304,
    async () => ask(overview, { headers: { "if-none-match": await tagOf(overview) } }),
  ],
  "something made": [201, () => ask(`${quizPath()}/versions`, { method: "POST", body: {} })],
  "something accepted": [202, () => ask(`/v1/webhooks/${tenant.names.endpoint}/ping`, { method: "POST" })],
  "a secret": [200, () => ask(`/v1/webhooks/${tenant.names.endpoint}/reveal-secret`, { method: "POST" })],
  "an empty answer": [
    204,
    async () => {
      const body = { url: newUrl(), topics: ["quiz.started"] };
      const made = await t.request("POST", "/v1/webhooks", { key: tenant.store.key, body });
      return ask(`/v1/webhooks/${made.body.id}`, { method: "DELETE" });
    },
  ],
  "a file": [200, () => ask(tenant.link, { key: null })],
  "a file for a client that takes gzip": [
    200,
    () => ask(tenant.link, { key: null, headers: { "accept-encoding": "gzip" } }),
  ],
  "a part of a file": [206, () => ask(tenant.link, { key: null, headers: { range: "bytes=0-3" } })],
  "a file that did not change": [
    304,
    async () => ask(tenant.link, { key: null, headers: { "if-none-match": await tagOf(tenant.link) } }),
  ],
  "a part behind the file's end": [416, () => ask(tenant.link, { key: null, headers: { range: "bytes=999-" } })],
  "no key": [401, () => ask("/v1/store", { key: null })],
  "no scope": [403, async () => ask("/v1/quizzes", { key: await t.key(tenant.store, ["webhooks:manage"]) })],
  "no such thing": [404, () => ask(`/v1/quizzes/quiz_${"0".repeat(32)}`)],
  "no such path": [404, () => ask("/nothing", { key: null })],
  "no address at all": [404, () => ask("/v1/%zz", { key: null })],
  "no such method": [405, () => ask("/v1/store", { method: "DELETE" })],
  "a wrong parameter": [422, () => ask("/v1/store?odd=1")],
  "a wrong body": [422, () => ask("/v1/exports", { method: "POST", body: [] })],
  "shoppers' events": [
    202,
    () => {
      const { session, visitor, quiz, version, publishable: store } = tenant.names;
      const at = new Date(t.calendar.now()).toISOString();
      const event = { id: "evt_00000000-0000-4000-8000-000000000001", seq: 99, at, type: "quiz_closed" };
      const facts = { id: session, visitor_id: visitor, quiz_id: quiz, version_id: version, channel: "embed" };
      const body = { store, sent_at: at, session: facts, events: [event] };
      return ask("/storefront/v1/events", { method: "POST", key: null, body });
    },
  ],
  "the commerce platform's message": [
    200,
    async () => {
      const { status, headers } = await postWebhook(t, tenant.store, { topic: "products/delete", payload: { id: 1 } });
      return { statusCode: status, headers };
    },
  ],
  "a message that nobody signed": [
    401,
    async () => {
      const headers = { "x-shopify-shop-domain": await domainOf(t, tenant.store) };
      return ask("/commerce/v1/shopify/webhooks", { method: "POST", key: null, body: {}, headers });
    },
  ],
  "that it lives": [200, () => ask("/healthz", { key: null })],
  "that it can work": [200, () => ask("/readyz", { key: null })],
  "a quiz on a page of its own": [200, () => ask(hostedUrl(), { key: null })],
  "no such quiz": [404, () => ask("/q/x/y", { key: null })],
  "a page of the dashboard": [200, () => ask(`/dashboard/quizzes/${tenant.names.quiz}`, { key: null })],
  "no such part of the dashboard": [404, () => ask("/dashboard/assets/main-00000000.js", { key: null })],
  "a player that is not there": [200, () => ask("/embed.js", { key: null })],
  "no such part of the player": [404, () => ask("/player/main-00000000.js", { key: null })],
  "what is no HTTP": [422, () => raw("nonsense\r\n\r\n")],
  "headers that are too large": [
    422,
    () => raw(`GET /v1/store HTTP/1.1\r\nHost: x\r\nA: ${"a".repeat(20_000)}\r\n\r\n`),
  ],
};

const shared: Record<string, [status: number, () => Promise<Answer>]> = {
  "the first page": [302, () => ask("/", { key: null })],
  "the list of errors": [200, () => ask("/errors", { key: null })],
  "an error's page": [200, () => ask("/errors/not_found", { key: null })],
  "the API's document": [200, () => ask("/openapi.json", { key: null })],
  "a live quiz": [200, () => ask(liveUrl(), { key: null })],
  "the live quizzes": [200, () => ask(`/storefront/v1/quizzes?store=${tenant.names.publishable}`, { key: null })],
  "a live quiz that did not change": [
    304,
    async () => ask(liveUrl(), { key: null, headers: { "if-none-match": await tagOf(liveUrl()) } }),
  ],
  "a preflight": [
    204,
    () => ask("/storefront/v1/events", { key: null, method: "OPTIONS", headers: { origin: "https://a.example" } }),
  ],
};

async function raw(text: string): Promise<Answer> {
  const [answer] = await exchange(port, [text]);
  if (!answer) throw new Error("there was no answer");
  return { statusCode: answer.status, headers: answer.headers };
}

const everyKind = [...Object.entries(keyed), ...Object.entries(shared)].map(
  ([name, [status, get]]) => [name, status, get, name in keyed] as const,
);

it.each(everyKind)(
  "%s is what it says, framed by nobody, kept by no cache that should not, and names no server [api.safe-headers]",
  async (_, status, get, isKeyed) => {
    const { statusCode, headers } = await get();
    expect(statusCode).toBe(status);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
    if (isKeyed)
      expect(headers["cache-control"]).toMatch(/^(no-store|private, no-store(, no-transform)?|private, no-cache)$/);
    for (const telling of ["server", "x-powered-by", "set-cookie", "via", "x-aspnet-version"]) {
      expect([telling, headers[telling]]).toEqual([telling, undefined]);
    }
    expect(headers["strict-transport-security"]).toBeUndefined();
  },
);

describe("pages that people open", () => {
  const pages = ["/errors", "/errors/timeout"];

  it.each(pages)(
    "%s runs and loads what is the documentation's own, and names itself to nobody [api.safe-headers]",
    async (url) => {
      const answer = await t.app.inject({ method: "GET", url });
      const allowed = [
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
      ];
      expect(answer.headers["content-security-policy"]).toBe(
        `default-src 'none'; ${allowed.join("; ")}; base-uri 'none'; frame-ancestors 'none'`,
      );
      expect(answer.headers["referrer-policy"]).toBe("no-referrer");
      expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
      const scripts = [...answer.body.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
      expect(scripts).toEqual(['<script type="module" src="/docs/assets/docs.js">']);
      expect(answer.body).not.toMatch(/<style|style=|onerror|javascript:/i);
    },
  );

  it("repeat nothing of their address", async () => {
    for (const url of ["/errors/%3Cscript%3E", "/errors?x=<b>", "/%3Cb%3E"]) {
      const answer = await t.app.inject({ method: "GET", url });
      expect([url, /<script>|<b>|<img/.test(answer.body)]).toEqual([url, false]);
    }
  });
});

describe("files", () => {
  it("are saved rather than shown, and their address goes nowhere [exports.download]", async () => {
    const { headers } = await ask(tenant.link, { key: null });
    expect(headers["content-disposition"]).toMatch(/^attachment; filename="[a-z_]+-\d{4}-\d\d-\d\d\.(csv|json)"$/);
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("behind https", () => {
  it("every kind of answer asks for https from then on, problems included [api.safe-headers]", async () => {
    const secure = t.compose({ config: { ...t.foundations.config, baseUrl: "https://api.test" } });
    await secure.ready();
    const port = await listen(secure);
    const each = asker(secure);
    const [malformed] = await exchange(port, ["nonsense\r\n\r\n"]);
    const answers = [
      await each("/v1/store"),
      await each("/v1/store", { key: null }),
      await each("/"),
      await each("/nothing"),
      await each(liveUrl(), { key: null }),
      await each(tenant.link, { key: null }),
      { headers: { ...malformed?.headers } },
    ];
    for (const { headers } of answers) expect(headers["strict-transport-security"]).toBe("max-age=31536000");
  });
});
