import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { page, quizDocument } from "../../testkit/document-parts.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import type { Database } from "../platform/database/database.ts";
import { signPreview } from "../quizzes/public.ts";
import { type BuiltFiles, nothingBuilt, type ServedFile } from "../web/public.ts";
import { standIn } from "./stand-in.ts";

const made = (text: string): ServedFile => ({
  tag: text.replaceAll(" ", "-"),
  plain: Buffer.from(`${text} as it is`),
  gzip: Buffer.from(`${text} in gzip`),
  brotli: Buffer.from(`${text} in brotli`),
});
const main = "player/main-Ab12Cd34.js";
const loader = made("the loader");
/** As the driver has it where nobody listens. */
const refuse = (): never => {
  throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
};
const awayDatabase = new Proxy({} as Database, { get: () => refuse });
const manifest = { sources: "test", loader: "embed.js", main, styles: [], files: [] };
const filesWith = (embed: ServedFile): BuiltFiles => {
  const files = new Map([
    ["embed.js", embed],
    [main, made("main")],
  ]);
  return { state: "ready", manifest, file: (path) => files.get(path) ?? null };
};
const files = filesWith(loader);

const presentation = {
  locale: "de-AT",
  theme: { scheme: "dark", accent: "#00ff88", background: "#102030" },
  description: "Drei Fragen, ein Tee",
  cover_image_url: "https://pictures.example/cover.jpg",
};

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
beforeAll(async () => {
  t = await openTestApp({ player: files });
  store = await t.store();
  quiz = await presented(store, "Welcher Tee?", presentation);
}, 60_000);
afterAll(() => t.close());
beforeEach(() => t.passTime(60_000));

/** A live quiz that looks as given. */
const presented = (at: TestStore, name: string, given: object): Promise<TestQuiz> => {
  const document = { ...quizDocument([page("a", [], { kind: "content" })]), presentation: given };
  return makeQuiz(t, at, { name, document, publish: true });
};

const addressOf = (of: TestQuiz = quiz, at: TestStore = store): string => `/q/${at.publishableKey}/${of.id}`;
const get = (url: string, headers: Record<string, string> = {}) => t.request("GET", url, { headers });

describe("the player's files", () => {
  it("are for pages of every origin, and are nothing else than scripts [player.files]", async () => {
    for (const url of ["/embed.js", `/${main}`]) {
      const { status, headers } = await get(url);
      expect([url, status]).toEqual([url, 200]);
      expect(headers).toMatchObject({
        "content-type": "text/javascript; charset=utf-8",
        "access-control-allow-origin": "*",
        "cross-origin-resource-policy": "cross-origin",
        "x-content-type-options": "nosniff",
        vary: "Accept-Encoding",
      });
    }
  });

  it("are kept for ever where their name says what they hold, and the loader for five minutes [player.files]", async () => {
    const { headers } = await get(`/${main}`);
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect((await get("/embed.js")).headers["cache-control"]).toMatch(/^public, max-age=300\b/);
  });

  it.each([
    ["br, gzip", "br", "in brotli"],
    ["gzip", "gzip", "in gzip"],
    ["identity", undefined, "as it is"],
  ])("come in %s as %s, under a tag of their own that answers 304 [player.files]", async (asked, coding, text) => {
    const answer = await get("/embed.js", { "accept-encoding": asked });
    expect([answer.headers["content-encoding"], answer.text]).toEqual([coding, `the loader ${text}`]);
    const tag = String(answer.headers["etag"]);
    const again = await get("/embed.js", { "accept-encoding": asked, "if-none-match": tag });
    expect([again.status, again.text, again.headers["etag"]]).toEqual([304, "", tag]);
    expect((await get("/embed.js", { "accept-encoding": "deflate", "if-none-match": '"other"' })).status).toBe(200);
  });

  it("that no build has are not found, whatever the path [player.files]", async () => {
    for (const name of ["main-Other000.js", "..%2f..%2fpackage.json", "embed.js", "constructor"]) {
      const { status, headers } = await get(`/player/${name}`);
      expect([name, status, headers["cache-control"]]).toEqual([name, 404, "no-store"]);
      expect(headers["access-control-allow-origin"]).toBe("*");
    }
  });

  it("count towards what an address may ask for, by their bytes too [player.files, storefront.sender-charges]", async () => {
    const limits = { capacity: 4, leakPerSecond: 1 };
    const large = { ...loader, plain: Buffer.alloc(3 * 8_192) };
    const app = t.compose({
      player: filesWith(large),
      storefrontLimits: { address: limits, network: limits, store: limits },
    });
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await app.inject({ url: "/embed.js" })).statusCode);
    expect(statuses).toEqual([200, 429, 429]);
  });
});

describe("before there is a player", () => {
  it("the loader is a script that says so and asks again, kept by nobody [player.build]", async () => {
    const app = t.compose({ player: { ...nothingBuilt, state: "building" } });
    const { statusCode, headers, body } = await app.inject({ url: "/embed.js" });
    expect([statusCode, headers["cache-control"], body]).toEqual([200, "no-store", standIn("building")]);
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(() => new Function(body)).not.toThrow();
  });

  it("a page of a quiz says so and loads itself again [player.build]", async () => {
    const app = t.compose({ player: { ...nothingBuilt, state: "building" } });
    const { statusCode, headers, body } = await app.inject({ url: addressOf(), headers: { "accept-language": "de" } });
    expect([statusCode, headers["retry-after"], headers["cache-control"]]).toEqual([503, "1", "no-store"]);
    expect(body).toContain("Einen Moment");
    expect(body).toContain('<meta http-equiv="refresh" content="1">');
  });

  it("and will be none, script and page say so, and ask for nothing again [player.build]", async () => {
    for (const state of ["failed", "absent"] as const) {
      const app = t.compose({ player: { ...nothingBuilt, state } });
      expect((await app.inject({ url: "/embed.js" })).body).toContain("cannot be shown at the moment");
      const { statusCode, body } = await app.inject({ url: addressOf() });
      expect([statusCode, /refresh/.test(body)]).toEqual([503, false]);
      expect(body).toContain("This quiz cannot be shown at the moment");
    }
  });
});

describe("the page of a quiz", () => {
  it("is complete by itself: what it is, in which language, and how links to it look [player.hosted-page]", async () => {
    const { status, headers, text } = await get(addressOf());
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    const url = `http://api.test${addressOf()}`;
    for (const part of [
      '<html lang="de-AT" dir="ltr">',
      "<title>Welcher Tee?</title>",
      '<meta name="description" content="Drei Fragen, ein Tee">',
      `<link rel="canonical" href="${url}">`,
      '<meta property="og:title" content="Welcher Tee?">',
      '<meta property="og:description" content="Drei Fragen, ein Tee">',
      '<meta property="og:image" content="https://pictures.example/cover.jpg">',
      `<meta property="og:url" content="${url}">`,
      '<meta property="og:site_name" content="Shop 1">',
      '<meta property="og:locale" content="de_AT">',
      '<meta name="twitter:card" content="summary_large_image">',
      '<meta name="twitter:image" content="https://pictures.example/cover.jpg">',
      '<meta name="theme-color" content="#102030">',
      '<meta name="color-scheme" content="dark">',
      "html{background:#102030;color:#f4f4f5}",
      `<quiz-store quiz="${quiz.id}" store="${store.publishableKey}" mode="full"><p class="late">Dieses Quiz kann gerade nicht gezeigt werden. Bitte versuchen Sie es später noch einmal.</p></quiz-store>`,
      "<noscript><p>Dieses Quiz braucht JavaScript.",
    ]) {
      expect(text).toContain(part);
    }
  });

  it("does without what the document leaves out [player.hosted-page]", async () => {
    const bare = await makeQuiz(t, store, { name: "Bare", publish: true });
    const { text } = await get(addressOf(bare));
    expect(text).toContain('<html lang="en" dir="ltr">');
    expect(text).toContain('<meta name="description" content="Shop 1">');
    expect(text).toContain('<meta name="twitter:card" content="summary">');
    expect(text).not.toMatch(/og:image|theme-color|og:locale|undefined|null/);
  });

  it("is written from right to left where its language is, or the document says so [player.hosted-page]", async () => {
    const shown = async (given: object) => (await get(addressOf(await presented(store, "Direction", given)))).text;
    expect(await shown({ locale: "ar", dir: "auto" })).toContain('<html lang="ar" dir="rtl">');
    expect(await shown({ locale: "ar", dir: "ltr" })).toContain('<html lang="ar" dir="ltr">');
    expect(await shown({ locale: "en", dir: "rtl" })).toContain('<html lang="en" dir="rtl">');
  });

  it("runs scripts by a nonce that is another in each answer, loads from no third party, and is framed by nobody [player.page-rules]", async () => {
    const nonces = new Set<string>();
    for (let n = 0; n < 5; n += 1) {
      const { headers, text } = await get(addressOf());
      const rules = String(headers["content-security-policy"]);
      const nonce = /'nonce-([\w+/=]{22,})'/.exec(rules)?.[1] ?? "";
      nonces.add(nonce);
      expect(rules).toMatch(
        /^default-src 'none'; script-src 'nonce-[\w+/=]+' 'strict-dynamic'; connect-src 'self'; img-src 'self' https: data:; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
      );
      const scripts = [...text.matchAll(/<script([^>]*)>/g)].map((match) => match[1]);
      expect(scripts).toEqual([` async src="/embed.js" nonce="${nonce}"`]);
      expect(text).not.toMatch(/style="|\son\w+=/);
      // a copy in a shared cache would give one nonce to many
      expect(headers["cache-control"]).toBe("private, no-cache");
      expect(headers["referrer-policy"]).toBe("strict-origin-when-cross-origin");
    }
    expect(nonces.size).toBe(5);
  });

  it("is a sentence where there is no such quiz, shop or live version [player.hosted-page]", async () => {
    const draft = await makeQuiz(t, store);
    const other = await t.store();
    const paused = await t.store();
    const pausedQuiz = await makeQuiz(t, paused, { publish: true });
    await t.update(paused, { plan: "other" });
    const nobody = `pub_${"0".repeat(32)}`;
    const missing = [
      addressOf(draft),
      addressOf(quiz, other),
      addressOf(pausedQuiz, paused),
      `/q/${nobody}/${quiz.id}`,
      `/q/${store.publishableKey}/quiz_${"0".repeat(32)}`,
      "/q/x/y",
      `/q/${store.publishableKey}/%3Cscript%3E`,
    ];
    t.passTime(60_000);
    for (const url of missing) {
      const { status, headers, text } = await get(url);
      expect([url, status, headers["cache-control"]]).toEqual([url, 404, "no-store"]);
      expect(text).toContain("<h1>This quiz is not here</h1>");
      expect(text).not.toMatch(/<script|quiz-store/);
    }
    expect((await get("/q/x/y", { "accept-language": "ja" })).text).toContain('<html lang="ja" dir="ltr">');
  });

  it("counts an unknown shop as the storefront does [player.hosted-page, storefront.unknown-store]", async () => {
    const limits = { capacity: 22, leakPerSecond: 1 };
    const app = t.compose({ storefrontLimits: { address: limits, network: limits, store: limits } });
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await app.inject({ url: "/q/x/y" })).statusCode);
    expect(statuses).toEqual([404, 404, 429]);
  });

  it("is gone a second after the quiz was taken offline, and has a new name as soon [player.hosted-page]", async () => {
    const renamed = await makeQuiz(t, store, { name: "Before", publish: true });
    expect((await get(addressOf(renamed))).text).toContain("<title>Before</title>");
    await makeQuiz(t, store, { name: "After", quizId: renamed.id, publish: true });
    t.passTime(1_000);
    expect((await get(addressOf(renamed))).text).toContain("<title>After</title>");
    const { status } = await t.request("DELETE", `/v1/quizzes/${renamed.id}`, { key: store.key });
    expect(status).toBe(200);
    t.passTime(1_000);
    expect((await get(addressOf(renamed))).status).toBe(404);
  });
});

describe("the page of a preview", () => {
  const link = (of: TestQuiz, hours = 1): string =>
    `/preview/${signPreview(t.foundations.secrets, {
      storeId: store.uuid,
      quizId: of.uuid,
      versionId: null,
      expires: t.calendar.now() + hours * 3_600_000,
    })}`;

  it("shows a draft by its token alone, to nobody who was not given it [player.preview-page, player.page-rules]", async () => {
    const draft = await makeQuiz(t, store, { name: "Next spring" });
    const url = link(draft);
    const { status, headers, text } = await get(url);
    expect(status).toBe(200);
    expect(text).toContain("<title>Preview: Next spring</title>");
    expect(text).toContain(`<quiz-store preview="${url.slice("/preview/".length)}" mode="full"><p class="late">`);
    expect(text).toContain('<meta name="robots" content="noindex, nofollow">');
    expect(text).not.toMatch(/og:|canonical/);
    expect(headers).toMatchObject({ "x-robots-tag": "noindex, nofollow", "referrer-policy": "no-referrer" });
    expect(headers["cache-control"]).toBe("private, no-cache");
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; script-src 'nonce-[\w+/=]+' 'strict-dynamic';/,
    );
  });

  it("is a sentence for a link that is altered or over [player.preview-page]", async () => {
    const draft = await makeQuiz(t, store, { name: "Soon over" });
    const url = link(draft);
    for (const wrong of [
      "/preview/x",
      `${url}x`,
      link(draft, -1),
      url.replace(/.$/, (sign) => (sign === "A" ? "B" : "A")),
    ]) {
      const { status, text, headers } = await get(wrong);
      expect([wrong, status, headers["cache-control"]]).toEqual([wrong, 404, "no-store"]);
      expect(text).toContain("This quiz is not here");
    }
  });
});

describe("whoever opens a page and is refused", () => {
  const held = (capacity: number) => {
    t.passTime(60_000);
    const limits = { capacity, leakPerSecond: 1 };
    return t.compose({ player: files, storefrontLimits: { address: limits, network: limits, store: limits } });
  };
  const preview = (of: TestQuiz) =>
    `/preview/${signPreview(t.foundations.secrets, { storeId: store.uuid, quizId: of.uuid, versionId: null, expires: t.calendar.now() + 3_600_000 })}`;

  it("as one of too many waits for the page to load itself again [player.refusal-pages]", async () => {
    const app = held(1);
    await app.inject({ url: addressOf() });
    for (const url of [addressOf(), "/preview/x"]) {
      const { statusCode, headers, body } = await app.inject({ url, headers: { "accept-language": "ar" } });
      expect([statusCode, headers["content-type"]]).toEqual([429, "text/html; charset=utf-8"]);
      expect(headers).toMatchObject({ "cache-control": "no-store", vary: "Accept-Language" });
      expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'sha256-/);
      expect(body).toContain('<html lang="ar" dir="rtl">');
      expect(body).toContain(`<meta http-equiv="refresh" content="${headers["retry-after"]}">`);
    }
    const script = await app.inject({ url: "/embed.js" });
    expect([script.statusCode, script.headers["content-type"]]).toEqual([429, "application/problem+json"]);
  });

  it("because the database is away or slow is told to come later [player.refusal-pages]", async () => {
    const app = t.compose({ player: files, database: awayDatabase });
    const { statusCode, headers, body } = await app.inject({ url: addressOf() });
    expect([statusCode, headers["retry-after"]]).toEqual([503, "2"]);
    expect(body).toContain("<h1>This quiz cannot be shown at the moment</h1><p>Please try again later.</p>");
    expect(body).not.toMatch(/refresh|ECONNREFUSED/);
  });

  it("of an address that is cut off or too long is told so; programs get a problem [player.refusal-pages]", async () => {
    for (const url of ["/q/", `/q/${store.publishableKey}`, `/q/x/${"y".repeat(300)}`, "/preview/", "/q/%zz"]) {
      const { status, text } = await get(url);
      expect([url, status]).toEqual([url, 404]);
      expect(text).toContain("<h1>This quiz is not here</h1>");
    }
    const other = await t.request("POST", addressOf());
    expect([other.status, other.headers["content-type"]]).toEqual([405, "application/problem+json"]);
  });

  it("of a draft that does not check reads what is wrong with it [player.refusal-pages, player.preview-page]", async () => {
    const pages = [{ page_key: "<b>", kind: "content" }, { kind: "nothing" }];
    const unfinished = await makeQuiz(t, store, { document: { pages } });
    const { status, headers, text } = await get(preview(unfinished));
    expect([status, headers["cache-control"], headers["referrer-policy"]]).toEqual([422, "no-store", "no-referrer"]);
    expect(headers["x-robots-tag"]).toBe("noindex, nofollow");
    expect(text).toContain("<h1>This draft cannot be shown yet</h1>");
    for (const finding of [
      "draft.pages.0.title is missing",
      "draft.pages.1.page_key is missing",
      "draft.pages.1.kind ",
    ])
      expect(text).toContain(finding);
    expect(text).not.toMatch(/<b>|<script|quiz-store/);
  });

  it("is charged for a preview and for a body as elsewhere [storefront.sender-charges]", async () => {
    const draft = await makeQuiz(t, store);
    const statuses = async (app: ReturnType<typeof held>, url: string, more: object = {}) => {
      const first = await app.inject({ url, ...more });
      return [first.statusCode, (await app.inject({ url, ...more })).statusCode];
    };
    expect(await statuses(held(41), preview(draft))).toEqual([200, 429]);
    expect(await statuses(held(44), preview(draft))).toEqual([200, 200]);
    const payload = { padding: "x".repeat(9 * 1_024) };
    expect(await statuses(held(20), addressOf(), { payload })).toEqual([200, 429]);
  });
});

/** Names that would break out of where they stand, were they not written as text. */
const hostile = [
  "</title><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  "</style><style>*{display:none}",
  "</noscript><script>alert(1)</script>",
  "<!--",
  "]]><svg/onload=alert(1)>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "{{alert(1)}}",
  "a\u2028alert(1)\u2029b",
  "javascript:alert(1)",
  "\u202Egnp.exe",
];

it.each(hostile)("a quiz named %s is a name and nothing else [player.page-rules]", async (name) => {
  const own = await t.store();
  const { text } = await get(addressOf(await presented(own, name, { description: name }), own));
  const tags = [...text.matchAll(/<(\/?[a-z!][\w-]*)/gi)].map((match) => match[1]?.toLowerCase());
  const harmless = await makeQuiz(t, own, { name: "Harmless", publish: true });
  const plain = [...(await get(addressOf(harmless, own))).text.matchAll(/<(\/?[a-z!][\w-]*)/gi)];
  expect(tags).toEqual(plain.map((match) => match[1]?.toLowerCase()));
  const title = /<title>(.*)<\/title>/s.exec(text)?.[1] ?? "";
  expect(title.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))).toBe(name);
});
