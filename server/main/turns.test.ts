import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { operations } from "../../contract/api.ts";
import { dashboardOperations } from "../../contract/dashboard/index.ts";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { unlisted } from "../../testkit/dear-requests.ts";
import { type DearShop, openDearShop } from "../../testkit/dear-world.ts";
import { TestPeople } from "../../testkit/members.ts";
import { Assembly } from "../platform/json/pieces.ts";

/**
 * Every route that takes a body, with the dearest bodies that it accepts and some that it refuses; made from the
 * contract, so that none is left out [api.turns]. `node bench/turns.ts` measures the same.
 */

const taken = vi.spyOn(Assembly.prototype, "take");
let t: TestApp;
let shop: DearShop;
beforeAll(async () => {
  const people = new TestPeople();
  t = await openTestApp({ signedIn: people.signedIn, checkAnswers: false });
  shop = await openDearShop(t, people);
}, 60_000);
afterAll(() => t.close());

/**
 * ms of processor time, the least of three tries. Where nothing else runs it is some 20; a square of the body's size was
 * 1,000 to 50,000.
 */
const longestTurn = 200;

const others = ["/storefront/v1/events", "/mcp", "/commerce/v1/shopify/webhooks orders/create"].concat(
  "/commerce/v1/shopify/webhooks products/create",
);
const taking = [...operations, ...dashboardOperations].filter(({ body }) => body).map(({ id }) => id);

describe("the dearest bodies of each route", () => {
  it("are in a table that has every operation that takes a body [api.turns]", () => {
    expect(unlisted()).toEqual([]);
    expect(new Set(shop.requests.map(({ name }) => name))).toEqual(new Set([...taking, ...others]));
  });

  it.each([...taking, ...others])(
    "keep the event loop for short turns only: %s [api.turns]",
    async (name) => {
      for (const request of shop.requests.filter((each) => each.name === name)) {
        let longest = Number.POSITIVE_INFINITY;
        for (let tries = 0; tries < 3 && longest > longestTurn / 2; tries += 1) {
          taken.mockClear();
          const sent = await shop.send(request);
          longest = Math.min(longest, sent.longest);
          expect([request.body.slice(0, 80), sent.status]).toEqual([
            request.body.slice(0, 80),
            expect.toSatisfy((status: number) => status < 500),
          ]);
          // what the thread has parsed is taken over a step a turn; turns themselves also pass while nothing happens
          if (request.body.length > 256 * 1024 && sent.status < 300) expect(taken).toHaveBeenCalled();
        }
        expect([request.body.slice(0, 80), longest]).toEqual([
          request.body.slice(0, 80),
          expect.toSatisfy((ms: number) => ms < longestTurn),
        ]);
      }
    },
    240_000,
  );
});
