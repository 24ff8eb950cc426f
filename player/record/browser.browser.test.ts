import { join } from "node:path";
import type { Page } from "playwright-core";
import { build, type Rolldown } from "vite";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openBrowser as openChromium, openPage } from "../../testkit/browser.ts";
import { type Answer, openShopSite, type ShopSite } from "../../testkit/browser-shop.ts";
import { recorderFacts } from "../../testkit/opened-recorders.ts";

const chromium = await openChromium();

/** The recorder and its browser as scripts, by path. */
async function scripts(): Promise<Record<string, Answer>> {
  const built = await build({
    root: join(import.meta.dirname, "../.."),
    configFile: false,
    logLevel: "error",
    build: {
      write: false,
      rollupOptions: {
        input: {
          recorder: join(import.meta.dirname, "open-recorder.ts"),
          browser: join(import.meta.dirname, "browser.ts"),
        },
        preserveEntrySignatures: "strict",
        output: { entryFileNames: "[name].js", chunkFileNames: "[name].js" },
      },
    },
  });
  const { output } = (Array.isArray(built) ? built[0] : built) as Rolldown.RolldownOutput;
  const script = (code: string): Answer => {
    return (_request, response) =>
      response.writeHead(200, { "content-type": "text/javascript", "access-control-allow-origin": "*" }).end(code);
  };
  return Object.fromEntries(output.map((part) => [`/${part.fileName}`, script("code" in part ? part.code : "")]));
}

const page = `<!doctype html><script type="module">
  import { openRecorder } from "/recorder.js";
  import { openBrowser } from "/browser.js";
  const run = { trail: [], entered: [], answers: [], consents: [], skipped: [], shown: [], finishes: [],
    page_key: "p", finished: false, ended: false, progress: 0 };
  window.faults = [];
  const url = new URL("/events", document.baseURI).href;
  const given = { browser: openBrowser(), url, store: "pub_1", facts: () => (${JSON.stringify(recorderFacts)}), consent: true };
  const recorder = await openRecorder(given);
  recorder.onFault(({ kind, reason }) => window.faults.push(kind + " " + reason));
  window.say = (value) => {
    recorder.add({ type: "answer_saved", page_key: "p", component_key: "c", value });
    recorder.save(run);
  };
  window.come = recorder.earlier.kind + " " + recorder.sessionId;
  if (window.parent !== window) window.say("framed");
</script>`;

interface Sent {
  type: string;
  values: unknown[];
  seqs: number[];
}

describe.skipIf(chromium === null)("the recorder in a real browser", () => {
  let site: ShopSite;
  let sent: Sent[] = [];
  let status = 202;
  beforeAll(async () => {
    const events: Answer = (request, response, body) => {
      const headers = { "content-type": "application/json", "access-control-allow-origin": "*", "retry-after": "1" };
      response.writeHead(status, headers).end('{"accepted":1,"duplicates":0,"rejected":[]}');
      const { events: list } = JSON.parse(body) as { events: { value: unknown; seq: number }[] };
      const type = request.headers["content-type"] ?? "";
      if (status === 202) sent.push({ type, values: list.map((one) => one.value), seqs: list.map((one) => one.seq) });
    };
    const framed = `<iframe sandbox="allow-scripts" srcdoc='<base href="/">${page.replaceAll("'", "&#39;")}'></iframe>`;
    site = await openShopSite({ "/": page, "/framed": framed, "/events": events, ...(await scripts()) });
  });
  afterAll(() => site.close());
  beforeEach(() => {
    sent = [];
    status = 202;
  });

  const come = async (shopper: Page): Promise<string[]> => {
    await shopper.waitForFunction("window.come");
    return ((await shopper.evaluate("window.come")) as string).split(" ");
  };
  const values = () => sent.flatMap((one) => one.values);

  it("goes on after a reload, asks in another tab, and sends each event once from one of them [player.resume, player.one-sender, player.retry-after]", async () => {
    const opened = await openPage();
    const first = opened.page;
    status = 503;
    await first.goto(`${site.origin}/`);
    const [, id] = await come(first);
    await first.evaluate("say(1)");
    await first.reload();
    expect(await come(first)).toEqual(["reloaded", id]);
    await first.evaluate("say(2)");
    const second = await first.context().newPage();
    await second.goto(`${site.origin}/`);
    expect(await come(second)).toEqual(["left", id]);
    await second.evaluate("say(3)");
    status = 202;
    await expect.poll(() => values().length, { timeout: 15_000 }).toBeGreaterThanOrEqual(3);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(values().sort()).toEqual([1, 2, 3]);
    expect(sent.flatMap((one) => one.seqs).sort()).toEqual([0, 1, 2]);
    await opened.close();
  });

  it("sends what is left as plain text when the page goes [player.page-goes]", async () => {
    const opened = await openPage();
    await opened.page.goto(`${site.origin}/`);
    await come(opened.page);
    await opened.page.evaluate("say('x'.repeat(40000)); location.href = 'about:blank'");
    await expect.poll(() => sent.length).toBe(1);
    expect(sent[0]?.type).toMatch(/^text\/plain/);
    await opened.close();
  });

  it("runs in a sandboxed frame, which has neither storage nor locks [player.no-storage]", async () => {
    const opened = await openPage();
    await opened.page.goto(`${site.origin}/framed`);
    await expect.poll(values, { timeout: 10_000 }).toEqual(["framed"]);
    const frame = opened.page.frames()[1];
    expect(await frame?.evaluate("window.faults")).toEqual(["storage SecurityError"]);
    await opened.close();
  });
});
