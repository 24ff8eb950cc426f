import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Asked, ask, type DemoProgram, say, startDemo } from "./demo-program.ts";
import type { FrontProxy } from "./proxy-configs.ts";
import { isInstalled, within } from "./proxy-run.ts";

/**
 * `node hard/field/firewall.ts`: the program behind ModSecurity with OWASP's common rule set, as Debian installs it, and
 * with the exclusions of docs/operations.md. Every operation, page and kind of answer is asked for with what people
 * legitimately send. Expected: without the exclusions some are refused by the firewall, with them none. An answer is the
 * program's own if it has its Request-Id.
 */

const modules = ["mpm_event", "authz_core", "proxy", "proxy_http", "filter", "unique_id", "security2"];

/** @param exclusions read before the rules */
const firewall = (exclusions: string): FrontProxy => ({
  name: "ModSecurity",
  packages: "libapache2-mod-security2 modsecurity-crs",
  program: "apache2",
  version: ["-v"],
  files: ({ folder, port, upstream }) => ({
    "exclusions.conf": exclusions,
    "unicode.mapping": "",
    "apache.conf": [
      `ServerRoot ${folder}`,
      `PidFile ${folder}/apache.pid`,
      `Listen 127.0.0.1:${port}`,
      "ServerName localhost",
      `ErrorLog ${folder}/error.log`,
      ...modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
      "Include /etc/modsecurity/modsecurity.conf-recommended",
      "SecRuleEngine On",
      `SecDataDir ${folder}`,
      "SecAuditEngine Off",
      "Include /etc/modsecurity/crs/crs-setup.conf",
      `Include ${folder}/exclusions.conf`,
      "Include /usr/share/modsecurity-crs/rules/*.conf",
      `ProxyPass / http://127.0.0.1:${upstream}/`,
      "",
    ].join("\n"),
  }),
  command: ({ folder }) => ["-f", `${folder}/apache.conf`, "-DFOREGROUND"],
});

interface Sent extends Asked {
  what: string;
  path: string;
}

/** What people write, and what rules against attacks take for one. */
const awkward = [
  "I'd select a cream from your range where the price is low -- or drop it; <3 & thanks",
  "see /etc/hosts or ../../boot.ini; $(date) `ls` | cat",
  '1 OR "1"="1" UNION of two oils, onclick=no <b>bold</b>',
];

type Json = ReturnType<typeof JSON.parse>;
const json = { "content-type": "application/json" };

/** Every operation of a description, with its examples. */
async function described({ url, key }: DemoProgram, place: string): Promise<Sent[]> {
  const document: Json = JSON.parse((await ask(url + place)).body.toString());
  return Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, { operationId, parameters = [], requestBody }]) => {
      const given = parameters.filter((each: Json) => each.example !== undefined);
      const filled = given.reduce((text: string, each: Json) => text.replace(`{${each.name}}`, each.example), path);
      const query = new URLSearchParams(
        given.filter((each: Json) => each.in === "query").map(({ name, example }: Json) => [name, String(example)]),
      );
      const body = requestBody?.content["application/json"].example;
      return {
        what: operationId,
        path: query.size === 0 ? filled : `${filled}?${query}`,
        method: method.toUpperCase(),
        headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : json) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      };
    }),
  );
}

function fromBrowsers({ publishableKey: store, quizId }: DemoProgram): Sent[] {
  const events = (value: string) =>
    JSON.stringify({
      ...{ store, sent_at: new Date().toISOString() },
      session: { id: `sess_${"1".repeat(32)}`, visitor_id: `vis_${"2".repeat(32)}`, quiz_id: quizId, channel: "web" },
      events: [{ id: "e", seq: 0, type: "answer_saved", page_key: "skin", component_key: "avoid", value }],
    });
  const path = "/storefront/v1/events";
  return [
    { what: "a quiz", path: `/storefront/v1/quizzes/${quizId}?store=${store}` },
    ...["/embed.js", "/demo", `/q/${quizId}`, "/dashboard", "/healthz"].map((page) => ({ what: page, path: page })),
    ...awkward.flatMap((text) =>
      ["text/plain;charset=UTF-8", "application/json"].map((type) => ({
        what: `events as ${type}: ${text}`,
        ...{ path, method: "POST", headers: { "content-type": type }, body: events(text) },
      })),
    ),
    {
      what: "300 KB of events",
      ...{ path, method: "POST", headers: { "content-type": "text/plain" }, body: events("x".repeat(300_000)) },
    },
  ];
}

function fromPrograms({ key }: DemoProgram): Sent[] {
  const headers = { authorization: `Bearer ${key}`, ...json };
  const post = (what: string, path: string, body: unknown): Sent => {
    return { what, path, method: "POST", headers, body: JSON.stringify(body) };
  };
  const shopify = { ...json, "x-shopify-topic": "orders/create", "x-shopify-shop-domain": "any.myshopify.com" };
  const topics = ["quiz.started"];
  return [
    post("a webhook to an address", "/v1/webhooks", { url: "https://203.0.113.7/hooks", topics }),
    post("a webhook with a query", "/v1/webhooks", { url: "https://a.example.com/x.php?next=../y&cmd=ls", topics }),
    ...awkward.map((text) => post(`a label: ${text}`, `/v1/quizzes/quiz_${"0".repeat(32)}/versions`, { label: text })),
    ...awkward.map((text) => ({ what: `q: ${text}`, path: `/v1/profiles?q=${encodeURIComponent(text)}`, headers })),
    post("a document", "/dashboard/api/quizzes", {
      name: "Quiz",
      document: { pages: [{ html_text: `<p onclick="no">${awkward.join("</p><p>")}</p><iframe src="https://x">` }] },
    }),
    {
      what: "an order",
      ...{ path: "/commerce/v1/shopify/webhooks", method: "POST", headers: shopify },
      body: JSON.stringify({ id: 1, note: awkward.join("\n"), browser_ip: "203.0.113.7" }),
    },
    post("a tool of an assistant", "/mcp", {
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "search_people", arguments: { q: awkward[0] } },
    }),
  ];
}

/** Pages of the documentation, as far as they link to each other. */
async function pages({ url }: DemoProgram): Promise<Sent[]> {
  const found = new Set(["/docs", "/reference", "/llms.txt", "/llms-full.txt", "/openapi.json"]);
  for (const path of found) {
    const { headers, body } = await ask(url + path);
    if (!String(headers["content-type"]).includes("html")) continue;
    for (const [, link = ""] of body.toString().matchAll(/href="(\/(?:docs|reference|errors)[^"#]*)/g)) found.add(link);
  }
  return [...found].map((path) => ({ what: `page ${path}`, path }));
}

async function refused(all: readonly Sent[], exclusions: string, upstream: number): Promise<string[]> {
  return within(firewall(exclusions), upstream, async (url) => {
    const found: string[] = [];
    for (const { what, path, ...asked } of all) {
      const answer = await ask(url + path, asked);
      if (answer.headers["request-id"] === undefined) found.push(`${answer.status} ${asked.method ?? "GET"} ${what}`);
    }
    return found;
  });
}

/** The block of docs/operations.md that begins with this. */
async function documented(): Promise<string> {
  const text = await readFile(join(import.meta.dirname, "../../docs/operations.md"), "utf8");
  const block = text.split("```").find((part) => part.startsWith("apache\n# ModSecurity"));
  if (block === undefined) throw new Error("docs/operations.md has no exclusions for ModSecurity");
  return block.slice("apache\n".length);
}

async function main(): Promise<void> {
  if (!(await isInstalled("apache2")))
    return say("not installed: apt-get install libapache2-mod-security2 modsecurity-crs");
  const exclusions = await documented();
  const program = await startDemo({ TRUST_PROXY: "1" });
  try {
    const all = [
      ...(await described(program, "/openapi.json")),
      ...(await described(program, "/dashboard/openapi.json")),
      ...fromBrowsers(program),
      ...fromPrograms(program),
      ...(await pages(program)),
    ];
    const upstream = Number(new URL(program.url).port);
    const without = await refused(all, "", upstream);
    say(`without exclusions: ${without.length} of ${all.length} refused`);
    for (const line of without) say(`  ${line}`);
    const withThem = await refused(all, exclusions, upstream);
    say(`with those of docs/operations.md: ${withThem.length} of ${all.length} refused`);
    for (const line of withThem) say(`  ${line}`);
    process.exitCode = withThem.length === 0 && without.length > 0 ? 0 : 1;
  } finally {
    await program.stop();
  }
}

await main();
