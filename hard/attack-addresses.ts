import { operations } from "../contract/api.ts";
import { dashboardOperations } from "../contract/dashboard/index.ts";
import { newId } from "../journeys/visit.ts";
import type { Request } from "./attack-send.ts";
import type { AttackedShop } from "./attack-world.ts";
import type { Genes } from "./genes.ts";

/** Public addresses outside the storefront, and requests that are refused for lack of a key or session. */

interface Address {
  method: string;
  /** with its parameters as `{names}` */
  path: string;
}

const dashboard = "/dashboard/api";

const declared: readonly Address[] = [
  ...operations,
  ...dashboardOperations,
  ...operations.map(({ method, path }) => ({ method, path: dashboard + path })),
];

const readable = [
  ...["/docs", "/docs/{page}", "/docs/rules/{page}", "/docs/search", "/reference", "/reference/{operation}"],
  ...["/docs/images/{file}", "/docs/recipes/{file}", "/docs/assets/docs.css", "/docs/assets/docs.js"],
  ...["/docs/assets/icon.svg", "/llms.txt", "/llms-full.txt", "/openapi.json", "/dashboard/openapi.json"],
  ...["/docs.md", "/reference.md", "/errors.md"],
  ...["/", "/errors", "/errors/{title}", "/healthz", "/readyz", "/exports/{export}"],
  ...["/dashboard", "/dashboard/", "/dashboard/{screen}", "/dashboard/{screen}/{text}", "/dashboard/assets/{file}"],
  ...["/embed.js", "/player/{file}", "/q/{store}/{quiz}", "/preview/{text}"],
  ...["/storefront/v1/quizzes", "/storefront/v1/quizzes/{quiz}", "/storefront/v1/previews/{text}"],
] as const;

const known: Readonly<Record<string, readonly string[]>> = {
  page: ["integrators", "security", "webhooks", "storefront", "api", "player", "people.md", "nothing"],
  operation: ["searchProfiles", "listProfiles", "createExport.md", "nothing"],
  title: ["not_found", "rate_limited", "nothing"],
  file: ["demo-desktop.jpg", "docs.css", "main.js", "..%2f..%2fpackage.json"],
  screen: ["home", "quizzes", "sign-in"],
};

/** A value for each parameter: a plausible one, or an unknown one of any length. */
function filled(path: string, victim: AttackedShop, genes: Genes): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === "store") return genes.chance("own store", 0.7) ? victim.publishableKey : newId("pub");
    if (name === "quiz") return genes.chance("own quiz", 0.7) ? victim.quizzes.full.quiz_id : newId("quiz");
    const words = known[name];
    if (words !== undefined && genes.chance("known word", 0.8)) return genes.pick(`known ${name}`, words);
    if (genes.chance("id", 0.5)) return newId(name.replace(/_id$/, "") || "id");
    return encodeURIComponent("aé.".repeat(genes.size("word length", 60))) || "x";
  });
}

const words = ["a", "e", "the", "key", "(", "é", "webhook", "\\", ".*", "a.b"];

function queryOf(path: string, victim: AttackedShop, genes: Genes): string {
  if (path === "/docs/search") {
    const asked = Array.from({ length: genes.size("words", 3_000) }, (_, at) =>
      genes.chance("many words") ? words[at % words.length] : genes.pick("one word", words),
    );
    return `?q=${encodeURIComponent(asked.join(genes.chance("no blanks", 0.2) ? "" : " ")).slice(0, 14_000)}`;
  }
  if (path.startsWith("/storefront/v1/quizzes")) return `?store=${victim.publishableKey}&for=player`;
  return genes.chance("query", 0.2) ? `?${"a=b&".repeat(genes.size("query length", 2_000))}` : "";
}

export function readablePage(victim: AttackedShop, genes: Genes): Request {
  const path = genes.pick("address", readable);
  const coding = genes.pick("coding", ["", "gzip", "br", "br;q=0.1, ".repeat(500)]);
  return {
    method: genes.pick("method", ["GET", "GET", "HEAD", "OPTIONS"]),
    path: filled(path, victim, genes) + queryOf(path, victim, genes),
    headers: {
      ...(coding === "" ? {} : { "accept-encoding": coding }),
      "accept-language": genes.pick("language", ["en", "ar,de;q=0.9", "x-y;q=0.1,".repeat(800)]),
    },
  };
}

const asBrowser = { "content-type": "application/json", "sec-fetch-site": "same-origin" };

/** Any declared operation without a key for it, with an arbitrary body. */
export function declaredOperation(victim: AttackedShop, genes: Genes, anyBody: (genes: Genes) => string): Request {
  const { method, path } = genes.pick("operation", declared);
  const bearer = genes.pick("bearer", [
    "",
    newId("svc_live"),
    `svc_test_${"x".repeat(genes.size("bearer length", 7_000))}`,
  ]);
  const cookie = genes.chance("cookie", 0.3)
    ? `quizstore_session=${"s".repeat(genes.size("cookie length", 7_000))}`
    : "";
  return {
    ...{ method, path: filled(path, victim, genes), body: anyBody(genes) },
    headers: {
      ...asBrowser,
      ...(bearer === "" ? {} : { authorization: `Bearer ${bearer}` }),
      ...(cookie === "" ? {} : { cookie }),
    },
  };
}

/** Requests with a password, a code or a link, which need no session. */
export function signIn(_victim: AttackedShop, genes: Genes): Request {
  const email = `${genes.chance("other person") ? newId("m") : "m"}@${"x".repeat(genes.size("email length", 250))}.example`;
  const password = genes.pick("letter", ["p", "é", "ﷺ", "\u0300"]).repeat(genes.size("password length", 100_000));
  const token = "t".repeat(genes.size("token length", 5_000));
  const [path, body] = genes.pick("way in", [
    [`${dashboard}/sign-in`, { email, password, code: token }],
    [`${dashboard}/links/use`, { token, password, name: password }],
    [`${dashboard}/links/mail`, { email }],
  ] as const);
  return { method: "POST", path, headers: asBrowser, body: JSON.stringify(body) };
}

/** Messages to the MCP endpoint for assistants. */
export function assistant(_victim: AttackedShop, genes: Genes, anyBody: (genes: Genes) => string): Request {
  const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "find", arguments: {} } });
  const calls = JSON.stringify(Array.from({ length: genes.size("calls", 3_000) }, (_, id) => call(id)));
  return {
    method: genes.pick("method", ["POST", "POST", "GET", "DELETE"]),
    path: "/mcp",
    body: genes.chance("calls") ? calls : anyBody(genes),
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${genes.pick("bearer", [newId("svc_live"), newId("tok"), "a".repeat(8_000)])}`,
    },
  };
}
