import { createHmac } from "node:crypto";
import type { TSchema } from "typebox";
import { operations } from "../contract/api.ts";
import { dashboardOperations } from "../contract/dashboard/index.ts";
import type { Operation } from "../contract/operation.ts";
import { dearDocuments, page, withFindings } from "./dear-documents.ts";
import { mixedSearch, widestSearches, wordiestSearch } from "./widest-searches.ts";

/**
 * The bodies that take the most work, for each route that takes one: a table of the contract's operations, and of the
 * routes beside it. A new operation with a body fails the test until it has a line here.
 */

/** `shape`: the largest body that the operation's shape accepts. */
type Line = "shape" | ((world: DearWorld) => object[]);

export interface DearWorld {
  quizId: string;
  /** a quiz under a run of changes, and the run */
  editedId: string;
  /** a quiz of which no other request is about */
  spareId: string;
  /** a quiz with what the searches name */
  searchedId: string;
  versionId: string;
  publishableKey: string;
  runId: string;
  now: number;
}

const of = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
const documents = [...dearDocuments.values(), withFindings].map((make) => make(1));
const searchesOf = ({ searchedId }: DearWorld): object[] =>
  [...widestSearches.map(([, body]) => body), wordiestSearch, mixedSearch].map((body) =>
    JSON.parse(JSON.stringify(body).replaceAll(`quiz_${"a".repeat(32)}`, searchedId)),
  );

const keys = of(64, (at) => `k${at}`);
const asked = (component_key: string, kind: string, more: object = {}) => ({
  kind,
  component_key,
  question: "",
  ...more,
});

/** What the widest searches name. */
export const searchedDocument = {
  pages: [
    page("p", [
      asked("pick", "choice", { options: keys.map((key) => ({ option_id: key, label: key })) }),
      ...[asked("age", "number"), asked("born", "date"), asked("note", "text")],
      ...of(40, (at) => asked(`note${at}`, "text")),
    ]),
    ...keys.map((key) => page(key, [])),
  ],
  dimensions: keys.map((key) => ({ dimension_id: key, name: key })),
};

const lines: Readonly<Record<string, Line>> = {
  saveVersion: "shape",
  publishVersion: "shape",
  createQuizDraft: "shape",
  beginDraftRun: "shape",
  changeQuizDraft: ({ runId }) => [
    ...documents.map((document) => ({ run_id: runId, changes: [{ op: "set", path: "", value: document }] })),
    {
      run_id: runId,
      changes: [
        { op: "set", path: "", value: { pages: of(45_000, () => ({})) } },
        ...of(99, (at) => ({ op: "move", path: `/pages/${44_999 - at}`, before: "0" })),
      ],
    },
  ],
  endDraftRun: "shape",
  createPreview: "shape",
  searchProfiles: searchesOf,
  createExport: (world) =>
    searchesOf(world).map((search) => ({ dataset: "profiles", search: { ...search, quiz_id: world.searchedId } })),
  createWebhook: "shape",
  updateWebhook: "shape",
  redeliverFailed: "shape",
  moveTestClock: "shape",
  signIn: "shape",
  acceptLink: "shape",
  mailLink: "shape",
  updateMe: "shape",
  confirmMe: "shape",
  setPassword: "shape",
  confirmTotp: "shape",
  createToken: "shape",
  updateMember: "shape",
  createInvitation: "shape",
  updateSettings: "shape",
  setCommerceSecret: "shape",
  createQuiz: () => documents.map((document) => ({ document })),
  duplicateQuiz: "shape",
  putDraft: () => documents.map((document) => ({ document })),
  lintDraft: () => documents,
  previewRuledProducts: () => documents.map((document) => ({ document, block_keys: ["best"] })),
  publishDraft: "shape",
  previewQuiz: "shape",
  nameProducts: "shape",
  createKey: "shape",
  createStore: "shape",
  updateStore: "shape",
  beginSupport: "shape",
};

/** What no shape accepts, and is refused at the first look or after a walk through all of it. */
const odd = [
  `[${"1,".repeat(99_000)}1]`,
  `{"a":[${"[],".repeat(49_000)}[]]}`,
  JSON.stringify(Object.fromEntries(of(19_999, (at) => [`k${at}`, "x".repeat(40)]))),
  JSON.stringify({
    document: of(19_000, (at) => ({ a: at })),
    changes: of(900, () => ({ op: "x" })),
    groups: of(900, () => ({})),
  }),
  `["${"\\u00e9".repeat(170_000)}"]`,
  `${"[".repeat(64)}${"]".repeat(64)}`,
];

type Shape = TSchema & Record<string, unknown>;

/** A value as large as a shape allows; where it sets no bound, of a thousand characters or entries. */
function largest(shape: Shape): unknown {
  const alternatives = (shape["anyOf"] ?? shape["oneOf"]) as Shape[] | undefined;
  if (alternatives) return alternatives.map(largest).sort((a, b) => sizeOf(b) - sizeOf(a))[0];
  if ("const" in shape) return shape["const"];
  if (Array.isArray(shape["enum"])) return shape["enum"].at(-1);
  const type = [shape["type"]].flat()[0];
  if (type === "object") {
    const properties = (shape["properties"] ?? {}) as Record<string, Shape>;
    return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, largest(inner)]));
  }
  if (type === "array")
    return of(Math.min(Number(shape["maxItems"] ?? 1_000), 1_000), () => largest(shape["items"] as Shape));
  if (type === "integer" || type === "number") return shape["maximum"] ?? 1_000;
  if (type === "boolean") return true;
  return type === "null" ? null : textOf(shape);
}

function textOf(shape: Shape): string {
  const prefix = /^\^([a-z]+)_\[0-9a-f\]/.exec(String(shape["pattern"]))?.[1];
  if (prefix) return `${prefix}_${"0".repeat(32)}`;
  if (shape["format"] === "date") return "2026-03-01";
  if (shape["format"] === "date-time") return "2026-03-01T00:00:00Z";
  return "é".repeat(Math.min(Number(shape["maxLength"] ?? 1_000), 100_000));
}

const sizeOf = (value: unknown): number => JSON.stringify(value ?? null).length;

export interface DearRequest {
  /** the operation's id, or the route's address */
  name: string;
  method: string;
  path: string;
  access: "key" | "person" | "none";
  headers?: Record<string, string>;
  body: string;
}

const accessOf = ({ access }: Operation): DearRequest["access"] => (access ? "person" : "key");

/** Operations that have no line, and lines that have no operation. */
export function unlisted(): string[] {
  const taking = [...operations, ...dashboardOperations].filter(({ body }) => body).map(({ id }) => id);
  return [...taking.filter((id) => !(id in lines)), ...Object.keys(lines).filter((id) => !taking.includes(id))];
}

export function operationRequests(world: DearWorld): DearRequest[] {
  return [...operations, ...dashboardOperations].flatMap((operation) => {
    const line = lines[operation.id];
    if (line === undefined || !operation.body) return [];
    const own = line === "shape" ? [largest(operation.body as Shape) as object] : line(world);
    const path = operation.path
      .replace("{quiz_id}", quizOf(operation, world))
      .replace("{version_id}", world.versionId)
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => `${name === "endpoint_id" ? "whe" : "store"}_${"0".repeat(32)}`);
    const bodies = [...own.map((body) => JSON.stringify(body)), ...odd];
    return bodies.map((body) => ({
      name: operation.id,
      method: operation.method,
      path,
      access: accessOf(operation),
      body,
    }));
  });
}

function quizOf({ id }: Operation, { quizId, editedId, spareId }: DearWorld): string {
  if (id === "changeQuizDraft") return editedId;
  return id === "beginDraftRun" ? spareId : quizId;
}

/** Shoppers' events, the commerce platform's messages, and assistants' calls. */
export function otherRequests(world: DearWorld, shop: { secret: string; domain: string }): DearRequest[] {
  const events = {
    name: "/storefront/v1/events",
    method: "POST",
    path: "/storefront/v1/events",
    access: "none",
  } as const;
  const mcp = { name: "/mcp", method: "POST", path: "/mcp", access: "key" } as const;
  const at = new Date(world.now).toISOString();
  const session = {
    ...{ id: `sess_${"1".repeat(32)}`, visitor_id: `vis_${"1".repeat(32)}`, quiz_id: world.quizId },
    ...{ version_id: world.versionId, channel: "online_store" },
  };
  const batch = (list: unknown[]) => ({ store: world.publishableKey, sent_at: at, session, events: list });
  const answer = (index: number, more: object) => ({
    ...{ id: `evt_${String(index).padStart(8, "0")}-0000-4000-8000-${"0".repeat(12)}`, seq: index + 1, at },
    ...{ type: "answer.submitted", page_key: "skin", component_key: "feel", kind: "choice" },
    ...more,
  });
  const call = (name: string, input: object) => ({
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } },
  });
  const changes = documents.map((document) => [{ op: "set", path: "", value: document }]);
  return [
    ...[
      batch(of(50, (index) => answer(index, { option_ids: of(100, (nth) => `option ${nth}`.padEnd(40, "x")) }))),
      batch(of(50, (index) => answer(index, { kind: "text", value: "é".repeat(2_000) }))),
      batch(of(7_000, () => ({}))),
    ].map((body) => ({ ...events, body: JSON.stringify(body) })),
    ...[
      ...changes.map((each) => call("change_draft", { quiz_id: world.editedId, run_id: world.runId, changes: each })),
      ...searchesOf(world).map((search) => call("search_people", search)),
    ].map((body) => ({
      ...mcp,
      headers: { accept: "application/json, text/event-stream" },
      body: JSON.stringify(body),
    })),
    ...commerceBodies(world.now).map(([topic, body], index) => signed(topic, body, index, shop)),
  ];
}

function signed(topic: string, body: string, index: number, shop: { secret: string; domain: string }): DearRequest {
  const path = "/commerce/v1/shopify/webhooks";
  const headers = {
    ...{ "x-shopify-topic": topic, "x-shopify-shop-domain": shop.domain, "x-shopify-webhook-id": `dear ${index}` },
    "x-shopify-hmac-sha256": createHmac("sha256", shop.secret).update(body).digest("base64"),
  };
  return { name: `${path} ${topic}`, method: "POST", path, access: "none", headers, body };
}

/** Five megabytes each. */
function commerceBodies(now: number): [topic: string, body: string][] {
  const at = new Date(now).toISOString();
  const money = { shop_money: { amount: "1.00", currency_code: "USD" } };
  const line = (index: number) => ({
    ...{ id: index + 1, product_id: index + 1, title: "x".repeat(100), quantity: 1, price: "1.00", price_set: money },
    ...{ properties: [{ name: "_quiz", value: "x" }], discount_allocations: [] },
  });
  const order = (id: number, more: object) =>
    JSON.stringify({ id, created_at: at, updated_at: at, currency: "USD", total_price: "1.00", ...more });
  const variant = (index: number) => ({ id: index + 1, title: "x".repeat(40), price: "1.00", position: index + 1 });
  return [
    ["orders/create", order(1, { line_items: of(15_000, line) })],
    ["orders/create", order(2, { note_attributes: of(80_000, (index) => ({ name: `n${index}`, value: "y" })) })],
    ["orders/create", order(3, { numbers: of(490_000, () => 1.5) })],
    ["products/create", JSON.stringify({ id: 1, title: "A", updated_at: at, variants: of(40_000, variant) })],
  ];
}
