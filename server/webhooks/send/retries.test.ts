import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answers, type Receiver } from "../../../testkit/receiver.ts";
import { Delivering, eventually, openSending, type Sending, type SentEndpoint } from "../../../testkit/sending.ts";
import { timed } from "../../../testkit/timed.ts";

let t: Sending;
let delivering: Delivering;
let receiver: Receiver;

beforeAll(async () => {
  t = await openSending();
});
beforeEach(async () => {
  delivering = await Delivering.open(t);
  ({ receiver } = delivering);
});
afterEach(() => delivering.end());
afterAll(() => t.close());

const deliver: Delivering["deliver"] = (options) => delivering.deliver(options);
const anEndpoint = async (): Promise<SentEndpoint> => t.endpoint(await t.store(), receiver.url());

describe("deliveries that failed", () => {
  it("keep, once their endpoint is disabled, when their last attempt was due and what came of it [webhooks.next-attempt]", async () => {
    receiver.answer(answers.status(503));
    const endpoint = await anEndpoint();
    await t.add(endpoint);
    deliver();
    await eventually(async () => (await t.deliveries(endpoint))[0]?.status === "retrying");
    const second = (await t.deliveries(endpoint))[0]?.next_attempt_at ?? new Date(0);
    t.calendar.advance(second.getTime() - t.calendar.now());
    await receiver.until(2);
    await eventually(async () => (await t.deliveries(endpoint))[0]?.attempts === 2);
    await eventually(async () => (await t.deliveries(endpoint))[0]?.status === "retrying");
    t.calendar.advance(20_000);
    await t.change(endpoint, { status: "disabled", next_due_at: new Date(t.calendar.now()) });
    await eventually(async () => (await t.deliveries(endpoint))[0]?.status === "dead");
    expect((await t.deliveries(endpoint))[0]).toMatchObject({
      ...{ attempts: 2, next_attempt_at: second },
      ...{ last_status_code: 503, last_error: "HTTP 503; endpoint_disabled" },
    });
  });

  it("are tried again within 5 s and a fifth, however seldom workers look [webhooks.schedule]", async () => {
    receiver.answer(answers.status(500));
    const endpoint = await anEndpoint();
    await t.add(endpoint, 1);
    // three times as fast as real time, and the longest wait that chance gives
    const speed = 3;
    const began = performance.now();
    const start = t.calendar.now();
    const now = () => start + (performance.now() - began) * speed;
    const calendar = { now: () => Math.floor(now()), afterReal: (ms: number) => Math.floor(now() + ms * speed) };
    const random = (size: number) => (size === 4 ? Buffer.alloc(4, 0xff) : randomBytes(size));
    const { deliverer, stop } = t.deliverer({ allowHosts: [receiver.host], calendar, random, looks: false });
    delivering.atEnd(() => stop(0));
    await deliverer.sweep();
    await receiver.until(1);
    const { ranMs } = await timed(() => receiver.until(2));
    const [first, second] = receiver.received;
    expect(((second?.at ?? 0) - (first?.at ?? 0)) * speed).toBeGreaterThan(5_000);
    // six seconds, and half a second of real time for sending on a busy machine
    expect(ranMs * speed).toBeLessThan(7_500);
  });
});
