import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { type BuiltFiles, nothingBuilt, type ServedFile } from "./open-built.ts";

const made = (text: string): ServedFile => ({
  tag: text.replaceAll(" ", "-"),
  plain: Buffer.from(`${text} as it is`),
  gzip: Buffer.from(`${text} in gzip`),
  brotli: Buffer.from(`${text} in brotli`),
});

const part = (path: string, imports: string[] = []) => ({ path, bytes: 1, gzip: 1, brotli: 1, imports, lazy: [] });
const paths = ["main-Ab12Cd34.js", "part-Ab12Cd34.js", "late-Ab12Cd34.js", "main-Ab12Cd34.css"].map(
  (name) => `dashboard/assets/${name}`,
);
const [main = "", shared = "", late = "", style = ""] = paths;
const dashboard: BuiltFiles = {
  state: "ready",
  manifest: {
    sources: "test",
    loader: null,
    main,
    styles: [style],
    files: [part(main, [shared]), part(shared), part(late), part(style)],
  },
  file: (path) => (paths.includes(path) ? made(path.slice(path.lastIndexOf(".") + 1)) : null),
};

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp({ dashboard });
}, 60_000);
afterAll(() => t.close());

const get = (url: string, headers: Record<string, string> = {}) => t.request("GET", url, { headers });

describe("the dashboard's page", () => {
  it("is where the first address leads, and at every address below its own [dashboard.page]", async () => {
    const first = await get("/");
    expect([first.status, first.headers["location"]]).toEqual([302, "/dashboard"]);
    for (const url of [
      "/dashboard",
      "/dashboard/",
      "/dashboard/sign-in",
      `/dashboard/link/${"a".repeat(43)}`,
      "/dashboard/quizzes/quiz_00000000000000000000000000000001/edit?store=store_1",
      "/dashboard/no/such/screen",
      "/dashboard/apiary",
    ]) {
      const { status, headers, text } = await get(url);
      expect([url, status, headers["content-type"]]).toEqual([url, 200, "text/html; charset=utf-8"]);
      expect(text).toContain('<div id="root">');
      expect(headers["cache-control"]).toBe("private, no-cache");
    }
  });

  it("is not at the addresses of its API, its document and its files [dashboard.page]", async () => {
    for (const url of ["/dashboard/api", "/dashboard/api/nothing", "/dashboard/assets", "/dashboard/assets/a/b"]) {
      const { status, headers } = await get(url);
      expect([url, status, headers["content-type"]]).toEqual([url, 404, "application/problem+json"]);
    }
    expect((await get("/dashboard/openapi.json")).body).toMatchObject({ openapi: "3.1.0" });
  });

  it("runs scripts and styles by a nonce that is another in each answer, and is framed by nobody [dashboard.page-rules]", async () => {
    const nonces = new Set<string>();
    for (let n = 0; n < 5; n += 1) {
      const { headers, text } = await get("/dashboard/link/a-secret-token");
      const rules = String(headers["content-security-policy"]);
      const nonce = /'nonce-([\w+/=]{22,})'/.exec(rules)?.[1] ?? "";
      nonces.add(nonce);
      expect(rules).toMatch(
        /^default-src 'none'; script-src 'nonce-[\w+/=]+' 'strict-dynamic'; style-src 'self' 'nonce-[\w+/=]+'; connect-src 'self'; img-src 'self' https: data: blob:; .*frame-ancestors 'none'$/,
      );
      for (const [tag] of text.matchAll(/<(script|style)\b[^>]*>/g)) expect(tag).toContain(`nonce="${nonce}"`);
      expect(text).not.toMatch(/style="|\son\w+=|https?:\/\//);
      expect(text).not.toContain("a-secret-token");
      expect(headers["referrer-policy"]).toBe("no-referrer");
    }
    expect(nonces.size).toBe(5);
  });

  it("names what its first part needs, so that a browser fetches it all at once [dashboard.page]", async () => {
    const { text } = await get("/dashboard");
    expect(text).toContain(`<link rel="stylesheet" href="/${style}">`);
    expect(text).toMatch(new RegExp(`<link rel="modulepreload" href="/${shared}" nonce=".*">`));
    expect(text).toMatch(new RegExp(`<script type="module" src="/${main}" nonce=".*">`));
    expect(text).not.toContain(late);
  });
});

describe("before there is a dashboard", () => {
  it("its page says so and loads itself again [dashboard.build]", async () => {
    const app = t.compose({ dashboard: { ...nothingBuilt, state: "building" } });
    const { statusCode, headers, body } = await app.inject({ url: "/dashboard/quizzes" });
    expect([statusCode, headers["retry-after"], headers["cache-control"]]).toEqual([503, "1", "no-store"]);
    expect(body).toContain("is being made ready");
    expect(body).toContain('<meta http-equiv="refresh" content="1">');
  });

  it("and will be none, it says that [dashboard.build]", async () => {
    for (const state of ["failed", "absent"] as const) {
      const app = t.compose({ dashboard: { ...nothingBuilt, state } });
      const { statusCode, body } = await app.inject({ url: "/dashboard" });
      expect([statusCode, /refresh/.test(body)]).toEqual([503, false]);
      expect(body).toContain("cannot be shown at the moment");
    }
  });
});

describe("the dashboard's files", () => {
  it.each([
    [main, "text/javascript; charset=utf-8", "js"],
    [style, "text/css; charset=utf-8", "css"],
  ])("%s is kept for ever, of its own type [dashboard.files]", async (path, type, text) => {
    const answer = await get(`/${path}`, { "accept-encoding": "br, gzip" });
    expect(answer.headers).toMatchObject({
      "content-type": type,
      "content-encoding": "br",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      vary: "Accept-Encoding",
    });
    expect(answer.text).toBe(`${text} in brotli`);
    const tag = String(answer.headers["etag"]);
    const again = await get(`/${path}`, { "accept-encoding": "br", "if-none-match": tag });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect((await get(`/${path}`)).text).toBe(`${text} as it is`);
  });

  it("that no build has are not found, whatever the path [dashboard.files]", async () => {
    for (const name of ["main-Other000.js", "..%2f..%2fpackage.json", "constructor", "main-Ab12Cd34.js.gz"]) {
      const { status, headers } = await get(`/dashboard/assets/${name}`);
      expect([name, status, headers["cache-control"]]).toEqual([name, 404, "no-store"]);
    }
  });
});
