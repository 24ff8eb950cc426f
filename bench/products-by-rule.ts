import pg from "pg";
import type { RuledBlockAnswer } from "../contract/storefront-products.ts";
import type { RuledProducts } from "../engine/document.ts";
import { putProducts } from "../server/orders/catalog.ts";
import { RuleCatalogs } from "../server/orders/rule-catalogs.ts";
import type { Database } from "../server/platform/database/database.ts";
import { parseId } from "../server/platform/ids.ts";
import { importQuiz } from "../server/quizzes/public.ts";
import { createStore } from "../server/stores/admin.ts";
import { choice, number, option, page, quizDocument, ruled } from "../testkit/document-parts.ts";
import { openOwnApi } from "../testkit/own-api.ts";
import { median, percentile, printRow } from "./support.ts";

/**
 * Measures products by rule over a catalog of 50,000 products and a block of 250 rules, one in five of which holds:
 * the route, through the whole API; the first request after one product message; reading the whole catalog; and its
 * memory. Beside it, in the same run: one SQL statement written by hand for the same rules, over the catalog's own
 * tables with an index on the tags. Targets: p95 of the route at most 10 ms, and at most a fifth of the statement's.
 *
 *   node bench/products-by-rule.ts [products, 50000] [rules, 250] [rounds, 200]
 */

const products = Number(process.argv[2] ?? 50_000);
const rules = Number(process.argv[3] ?? 250);
const rounds = Number(process.argv[4] ?? 200);
const groups = 5;

const payload = (id: number, updated_at: string) => ({
  ...{ id, title: `Product ${id}`, handle: `product-${id}`, status: "active", updated_at },
  published_at: new Date(Date.parse("2025-01-01T00:00:00Z") + (id % 400) * 86_400_000).toISOString(),
  vendor: `Vendor ${id % 40}`,
  product_type: `Type ${id % 25}`,
  tags: Array.from({ length: 8 }, (_, at) => `tag ${(id * (at + 3)) % 200}`).join(", "),
  options: [{ name: "Size", values: ["S", "L"] }],
  variants: [0, 1].map((size) => ({
    ...{ id: id * 10 + size, title: size ? "L" : "S", option1: size ? "L" : "S", position: size + 1 },
    price: `${5 + (id % 90) + size * 10}.50`,
    ...{ inventory_quantity: (id + size) % 7, inventory_management: "shopify", updated_at },
  })),
});

const block: RuledProducts = ruled("best", {
  from: { price: { max: { component_key: "budget" } } },
  rules: Array.from({ length: rules }, (_, at) => ({
    rule_key: `r${at}`,
    when: { component_key: "skin", op: "in" as const, option_ids: [`o${at % groups}`] },
    match:
      at % 3 === 0 ? { tags_any: [`tag ${at % 200}`, `tag ${(at * 7) % 200}`] } : { tags_all: [`tag ${at % 200}`] },
    effect: at % 10 === 9 ? ("exclude" as const) : ("score" as const),
    score: 1 + (at % 9),
  })),
  limit: 6,
});

/** The same by hand: the rules that hold are known, their tags, scores and effects are a table of values. */
function byHand(storeId: string, budget: number, group: number): { text: string; values: unknown[] } {
  const held = block.rules.filter((_, at) => at % groups === group);
  const rows = held.map(({ match, effect, score }) => ({
    ...{ tags: match.tags_any ?? match.tags_all ?? [], out: effect === "exclude", score: score ?? 0 },
  }));
  const text = `
    WITH rule AS (SELECT * FROM jsonb_to_recordset($2::jsonb) AS r (tags text[], out boolean, score numeric)),
    hit AS (SELECT p.product_id, bool_or(r.out) AS out, sum(CASE WHEN r.out THEN 0 ELSE r.score END) AS score
      FROM rule r JOIN products p ON p.store_id = $1 AND p.tags && r.tags GROUP BY p.product_id)
    SELECT p.product_id, h.score FROM products p LEFT JOIN hit h ON h.product_id = p.product_id
    WHERE p.store_id = $1 AND p.deleted_at IS NULL AND coalesce(p.status, 'active') NOT IN ('draft', 'archived')
      AND h.out IS NOT TRUE AND EXISTS (SELECT 1 FROM product_variants v
        WHERE v.store_id = $1 AND v.product_id = p.product_id AND v.price <= $3 AND v.available IS NOT FALSE)
    ORDER BY coalesce(h.score, 0) DESC, p.published_at DESC NULLS LAST, length(p.product_id) DESC, p.product_id DESC
    LIMIT 6`;
  return { text, values: [storeId, JSON.stringify(rows), budget] };
}

const shown = (ms: number) => `${ms < 100 ? ms.toFixed(2) : Math.round(ms)} ms`;

async function times(work: (round: number) => Promise<unknown>, count: number): Promise<number[]> {
  const taken: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const begun = performance.now();
    await work(round);
    taken.push(performance.now() - begun);
  }
  return taken;
}

const printTimes = (name: string, taken: readonly number[]) =>
  printRow(name, shown(median(taken)), shown(percentile(taken, 0.95)), shown(percentile(taken, 1)));

function printProcessorTime(begun: NodeJS.CpuUsage): void {
  const { user, system } = process.cpuUsage(begun);
  printRow("processor time a request", shown((user + system) / 1_000 / rounds));
}

async function measureMemory(database: Database, storeId: string): Promise<void> {
  globalThis.gc?.();
  const before = process.memoryUsage();
  const catalogs = new RuleCatalogs({ database });
  await catalogs.of(storeId);
  globalThis.gc?.();
  const now = process.memoryUsage();
  const grown = now.heapUsed + now.external - before.heapUsed - before.external;
  printRow("memory of the index", `${Math.round(grown / 1e6)} MB`, `counted ${Math.round(catalogs.bytes / 1e6)} MB`);
}

async function main(): Promise<void> {
  const own = await openOwnApi();
  try {
    const { api } = own;
    const { database } = own.opened;
    const given = {
      name: "Large",
      shopDomain: "large.example.com",
      plan: "plus",
      timezone: "UTC",
      currency: "EUR",
    } as const;
    const store = await database.transaction((tx) => createStore(tx, own.foundations, given));
    const storeId = parseId("store", store.store_id) ?? "";
    const put = (list: unknown[]) => database.transaction((tx) => putProducts(tx.forStore(storeId), list, Date.now()));
    for (let from = 1; from <= products; from += 1_000) {
      const last = Math.min(products, from + 999);
      await put(Array.from({ length: last - from + 1 }, (_, at) => payload(from + at, "2026-01-01T00:00:00Z")));
    }
    const options = Array.from({ length: groups }, (_, at) => option(`o${at}`));
    const questions = [choice("skin", options), number("budget")];
    const document = quizDocument([page("ask", questions), page("end", [block], { kind: "result" })]);
    const quiz = await database.transaction((tx) =>
      importQuiz(tx, own.foundations, storeId, { document, publish: true, name: "Large", quizId: undefined }),
    );
    const budgetOf = (round: number) => 20 + (round % 70);
    const ask = async (round: number): Promise<RuledBlockAnswer> => {
      const answers = { skin: { option_ids: [`o${round % groups}`] }, budget: { value: budgetOf(round) } };
      const answer = await api.app.inject({
        ...{ method: "POST", url: `/storefront/v1/quizzes/${quiz.quiz_id}/products` },
        payload: { store: store.publishable_key, version_id: quiz.version_id, answers, block_keys: ["best"] },
        remoteAddress: `10.${round % 200}.0.1`,
      });
      if (answer.statusCode !== 200) throw new Error(answer.body);
      return answer.json().blocks[0];
    };
    const client = new pg.Client(own.database.connection);
    client.on("error", () => undefined);
    await client.connect();
    await client.query("CREATE INDEX ON products USING gin (tags)");
    await client.query("ANALYZE");
    printRow(`${products} products, ${rules} rules`, "p50", "p95", "longest");
    printTimes("first request, catalog is read", await times(ask, 1));
    await times(ask, 20);
    const begun = process.cpuUsage();
    const route = await times(ask, rounds);
    printProcessorTime(begun);
    printTimes("route", route);
    const hand = await times(
      (round) => client.query(byHand(storeId, budgetOf(round), round % groups)),
      Math.min(rounds, 50),
    );
    printTimes("by hand in SQL", hand);
    for (let round = 0; round < 5; round += 1) {
      const { rows } = await client.query(byHand(storeId, budgetOf(round), round % groups));
      const [ours, theirs] = [
        (await ask(round)).products.map((one) => one.product_id),
        rows.map((row) => row.product_id),
      ];
      if (ours.join() !== theirs.join()) throw new Error(`round ${round}: ${ours} is not ${theirs}`);
    }
    const after = await times(
      async (round) => {
        const at = new Date(Date.parse("2026-02-01T00:00:00Z") + round * 1_000).toISOString();
        await put([payload(1 + ((round * 997) % products), at)]);
        const begun = performance.now();
        await ask(round);
        waited.push(performance.now() - begun);
      },
      Math.min(rounds, 50),
    );
    printTimes("after a product message", waited);
    printTimes("message and request", after);
    await measureMemory(database, storeId);
    printRow("route / by hand, p95", (percentile(route, 0.95) / percentile(hand, 0.95)).toFixed(3));
    await client.end();
  } finally {
    await own.close();
  }
}

const waited: number[] = [];

await main();
