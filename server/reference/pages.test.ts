import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../contract/api.ts";
import { errorTitles } from "../../contract/errors.ts";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { examplesOf } from "./examples.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const get = (path: string) => t.request("GET", path);
const linksIn = (html: string): string[] =>
  [...html.matchAll(/(?:href|src|action)="([^"]*)"/g)].flatMap(([, link = ""]) => link.replaceAll("&#38;", "&"));

/** Every address that can be reached from the start by links, with its answer. */
async function crawl(): Promise<Map<string, { status: number; type: string; text: string }>> {
  const seen = new Map<string, { status: number; type: string; text: string }>();
  const open = ["/docs", "/errors"];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue;
    const { status, headers, text } = await get(path);
    const type = String(headers["content-type"]);
    seen.set(path, { status, type, text });
    if (!type.startsWith("text/html")) continue;
    for (const link of linksIn(text)) {
      if (/^(https?:|mailto:|#)/.test(link)) continue;
      open.push(link.split("#")[0] ?? "");
    }
  }
  return seen;
}

describe("the pages", () => {
  it("lead to nothing that is not there, and to every operation, guide and rule [reference.pages]", async () => {
    const seen = await crawl();
    const missing = [...seen].filter(([, { status }]) => status !== 200).map(([path]) => path);
    expect(missing).toEqual([]);
    for (const { id } of operations) expect(seen.has(`/reference/${id}`)).toBe(true);
    for (const path of ["/docs/integrators", "/docs/client", "/docs/operations", "/docs/rules/api", "/docs/rules"]) {
      expect([path, seen.get(path)?.type]).toEqual([path, "text/html; charset=utf-8"]);
    }
    const lost: string[] = [];
    for (const [path, { text, type }] of seen) {
      if (!type.startsWith("text/html")) continue;
      for (const link of linksIn(text).filter((each) => /^(\/|#).*#|^#/.test(each))) {
        const [to = "", id = ""] = link.split("#");
        const page = seen.get(to || path)?.text ?? "";
        if (!page.includes(`id="${decodeURIComponent(id)}"`)) lost.push(`${path}: ${link}`);
      }
    }
    expect(lost).toEqual([]);
  }, 60_000);

  it("load nothing from elsewhere, hold no scripts and no styles of their own [reference.offline]", async () => {
    for (const path of [
      "/docs",
      "/docs/people",
      "/reference",
      "/reference/searchProfiles",
      "/docs/search?q=key",
      "/errors/timeout",
    ]) {
      const { headers, text } = await get(path);
      const rules = String(headers["content-security-policy"]);
      expect(rules).toMatch(/^default-src 'none'; style-src 'self'; script-src 'self';/);
      expect(rules).not.toMatch(/unsafe|https?:|\*/);
      expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?! type="module" src="\/docs\/assets\/docs\.js">)/);
      for (const [, src] of text.matchAll(/<(?:script|img|link)[^>]*(?:src|href)="([^"]*)"/g))
        expect(src).toMatch(/^\/(docs|reference|errors)[/.]/);
    }
    const own = await Promise.all(["/docs/assets/docs.js", "/docs/assets/docs.css"].map(get));
    for (const { status, text } of own) expect([status, /https?:|@import|url\(/.test(text)]).toEqual([200, false]);
  });

  it("show each operation with what its contract says", async () => {
    for (const operation of operations) {
      const { text } = await get(`/reference/${operation.id}.md`);
      expect(text).toContain(`# ${operation.summary}`);
      expect(text).toContain(`\`${operation.method} ${operation.path}\``);
      for (const name of Object.keys(operation.query?.properties ?? {}))
        expect(text).toContain(`| \`${name}\` | query |`);
      for (const { code } of examplesOf(operation)) expect(text).toContain(code);
      for (const title of operation.problems ?? []) expect(text).toContain(`/errors/${title}`);
    }
  });

  it("are not found under other names", async () => {
    for (const path of [
      "/docs/none",
      "/docs/none.md",
      "/reference/none",
      "/docs/rules/none",
      "/docs/images/none.jpg",
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    for (const path of [
      "/docs/images/..%2f..%2fpackage.json",
      "/docs/recipes/..%2fpeople.md",
      "/docs/recipes/%00.js",
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
  });
});

describe("Markdown for programs [reference.markdown]", () => {
  it("is at every page's address with .md, and leads to Markdown", async () => {
    const { text } = await get("/llms.txt");
    const listed = [...text.matchAll(/^- \[[^\]]+\]\((\S+)\): (.+)$/gm)].map(([, address = "", summary]) => ({
      address,
      summary,
    }));
    expect(listed.length).toBeGreaterThan(operations.length + 30);
    for (const { summary = "" } of listed) expect(summary).not.toMatch(/[:,]$/);
    const leading = ["/docs.md", "/reference.md", "/errors.md"].map((path) => ({ address: `http://api.test${path}` }));
    for (const { address } of [...leading, ...listed]) {
      const { pathname } = new URL(address);
      const { status, headers, text: page } = await get(pathname);
      expect([address, status]).toEqual([address, 200]);
      if (!pathname.endsWith(".md")) continue;
      expect(headers["content-type"]).toBe("text/markdown; charset=utf-8");
      expect(page).toMatch(/^# /m);
      for (const [, href = ""] of page.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/\]\((\/[^)\s#]*)/g)) {
        expect([address, href, (await get(href)).status]).toEqual([address, href, 200]);
        if (/^\/(docs|reference|errors)(\/|$)/.test(href)) expect(href).toMatch(/\.(md|js|jpg)$/);
      }
    }
  }, 60_000);

  it("comes in one text, guides and reference", async () => {
    const { text, headers } = await get("/llms-full.txt");
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    for (const { summary } of operations) expect(text).toContain(`# ${summary}`);
    expect(text).toContain("# The integrators' guide");
  });
});

describe("search [reference.search]", () => {
  const find = async (query: string) => {
    const { text } = await get(`/docs/search?q=${encodeURIComponent(query)}`);
    return [...text.matchAll(/<li><a href="([^"]+)">([^<]*)<\/a><br>/g)].map(([, path = ""]) => path);
  };

  it("finds what has every word, headings first", async () => {
    expect((await find("rotate secret"))[0]).toBe("/reference/rotateSecret");
    expect((await find("api.idempotency"))[0]).toBe("/docs/rules/api#api.idempotency");
    expect(await find("Retry-After webhook receiver pause")).toContain("/docs/webhooks#3-answer-then-work");
    expect(await find("idempotency zebra")).toEqual([]);
  });

  it("takes any text for words", async () => {
    for (const query of ["", "   ", "(", "[a-", "\\", "<script>alert(1)</script>", "a".repeat(5_000), "*+?{}|^$"]) {
      const { status, text } = await get(`/docs/search?q=${encodeURIComponent(query)}`);
      expect([query, status]).toEqual([query, 200]);
      expect(text).not.toContain("<script>alert");
    }
    expect((await get("/docs/search")).status).toBe(200);
    expect((await get("/docs/search?q=a&q=b")).status).toBe(200);
  });
});

describe("the pages of errors [reference.errors]", () => {
  it.for(errorTitles)("%s leads to a rule", async (title) => {
    const { text } = await get(`/errors/${title}`);
    const [, address = ""] = /<a href="(\/docs\/rules\/[^"]+#[^"]+)">/.exec(text) ?? [];
    const [page = "", rule = ""] = address.split("#");
    expect((await get(page)).text).toContain(`id="${rule}"`);
    const markdown = await get(`/errors/${title}.md`);
    expect(markdown.text).toMatch(/^# [\s\S]+## What to do\n\n\S/);
  });
});
