import type { Answered, Body } from "../../testkit/app.ts";
import type { Shop } from "./ledger.ts";
import type { World } from "./world.ts";

/** Integrators' requests to `/v1`, with the retries of a well-made client. */

export interface CallOptions {
  body?: unknown;
  /** acceptable statuses */
  expected?: readonly number[];
}

const triesAtMost = 4;

/**
 * Sends a request, and repeats it after a 503, with the same Idempotency-Key. Null: the shop's plan is paused, or the
 * limiter is unavailable; any other error is a failure of the seed.
 */
export async function call(
  world: World,
  shop: Shop,
  method: string,
  path: string,
  { body, expected = [200] }: CallOptions = {},
): Promise<Answered | null> {
  const idempotency = method === "POST" ? { "idempotency-key": `once-${++shop.messages}` } : undefined;
  for (let attempt = 1; attempt <= triesAtMost; attempt++) {
    const answer = await world.request(method, path, {
      key: shop.store.key,
      ...(body === undefined ? {} : { body }),
      ...(idempotency ? { headers: idempotency } : {}),
    });
    if (expected.includes(answer.status)) return answer;
    // the answer to the first try was lost
    if (method === "DELETE" && attempt > 1 && answer.status === 404) return { ...answer, status: 204 };
    if (answer.status === 403 && shop.plan === "other") return null;
    if (answer.status === 503 && answer.body?.title === "limiter_unavailable" && world.limiter.failing) return null;
    if (answer.status !== 503) {
      world.fail(`${method} ${path} was answered ${answer.status}: ${answer.text.slice(0, 300)}`);
      return null;
    }
  }
  world.fail(`${method} ${path} was refused again and again`);
  return null;
}

/** Every row of a list, page by page; null as for `call`. */
export async function walkList(
  world: World,
  shop: Shop,
  path: string,
  limit: number,
  body?: unknown,
): Promise<Body[] | null> {
  const rows: Body[] = [];
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: String(limit), ...(cursor === null ? {} : { cursor }) });
    const asked = `${path}${path.includes("?") ? "&" : "?"}${query}`;
    const answer = await call(
      world,
      shop,
      body === undefined ? "GET" : "POST",
      asked,
      body === undefined ? {} : { body },
    );
    if (answer === null) return null;
    for (const row of answer.body.data) {
      if (seen.has(row.id)) world.fail(`${path} gave ${row.id} twice`);
      seen.add(row.id);
      rows.push(row);
    }
    if (answer.body.has_more !== (answer.body.next_cursor !== null))
      world.fail(`${path}: has_more without a cursor, or the other way round`);
    cursor = answer.body.next_cursor;
  } while (cursor !== null && rows.length < 2_000);
  return rows;
}

/** Fails unless both have the same elements, in any order. */
export function sameSet(world: World, what: string, found: Iterable<string>, expected: Iterable<string>): void {
  const [a, b] = [[...found].sort(), [...expected].sort()];
  if (a.join() === b.join()) return;
  const missing = b.filter((each) => !a.includes(each));
  const extra = a.filter((each) => !b.includes(each));
  world.fail(
    `${what}: ${missing.length} missing (${missing.slice(0, 3)}), ${extra.length} too many (${extra.slice(0, 3)})`,
  );
}
