import { createServer, Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { certificateFor } from "../../../testkit/certificate.ts";
import { answers, openReceiver, type Receiver } from "../../../testkit/receiver.ts";
import { patience } from "../../../testkit/slowness.ts";
import { timed } from "../../../testkit/timed.ts";
import { type AttemptResult, Sender, type SenderDeps } from "./attempt.ts";

const unixNow = () => Date.parse("2026-03-10T12:00:00.000Z");

let receiver: Receiver;
const closers: (() => Promise<void>)[] = [];

beforeEach(async () => {
  receiver = await openReceiver();
});

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await receiver.close();
});

function sender(options: Partial<SenderDeps> = {}): Sender {
  const times = { attemptMs: 8_000 * patience, connectMs: 4_000 * patience };
  const made = new Sender({ unixNow, allow: [receiver.host], ...times, ...options });
  closers.push(() => made.close());
  return made;
}

const post = (from: Sender, url = receiver.url(), text = '{"a":1}'): Promise<AttemptResult> =>
  from.post({ url, headers: { "webhook-id": "evt_1" }, body: Buffer.from(text), onSent: () => undefined });

describe("one attempt [webhooks.attempt]", () => {
  it("posts the bytes as they are signed, with the headers that say what it is", async () => {
    const body = '{"name":"Zoë ☕"}';
    const outcome = await post(sender(), receiver.url("/hooks?token=a%20b#part"), body);
    expect(outcome).toEqual({ error: null, statusCode: 204, response: "", retryAfterMs: null, interrupted: false });
    const [request] = receiver.received;
    expect(request).toMatchObject({ method: "POST", path: "/hooks?token=a%20b" });
    expect(request?.body.toString()).toBe(body);
    expect(request?.headers).toMatchObject({
      host: receiver.host,
      "content-type": "application/json",
      "user-agent": "QuizStore-Webhooks/1.0",
      "accept-encoding": "identity",
      "webhook-id": "evt_1",
      "content-length": String(Buffer.byteLength(body)),
    });
  });

  it("counts for sent when its bytes are out, not before, so that what is counted may not arrive later [webhooks.pace]", async () => {
    const order: string[] = [];
    const uncork = vi.spyOn(Socket.prototype, "uncork").mockImplementation(function (this: Socket) {
      Object.getPrototypeOf(Socket.prototype).uncork.call(this);
      order.push("out");
    });
    closers.push(async () => uncork.mockRestore());
    await sender().post({
      ...{ url: receiver.url(), headers: {}, body: Buffer.from("{}") },
      onSent: () => order.push("sent"),
    });
    expect(order.slice(0, 2)).toEqual(["out", "sent"]);
    expect(order.filter((each) => each === "sent")).toHaveLength(1);
  });

  it.each([200, 201, 202, 299])("takes %i for delivered", async (status) => {
    receiver.answer(answers.status(status));
    expect(await post(sender())).toMatchObject({ error: null, statusCode: status });
  });

  it.each([400, 404, 410, 429, 500, 503])("takes %i for failed, and keeps what it says", async (status) => {
    receiver.answer(answers.status(status, { "retry-after": "30" }, "why not"));
    const failed = { error: `HTTP ${status}`, statusCode: status, response: "why not", retryAfterMs: 30_000 };
    expect(await post(sender())).toMatchObject(failed);
  });

  it.each([300, 301, 302, 303, 304, 307, 308])("does not follow a redirect (%i)", async (status) => {
    receiver.answer(answers.status(status, { location: receiver.url("/elsewhere") }));
    expect(await post(sender())).toMatchObject({ error: `HTTP ${status}; redirects are not followed` });
    expect(receiver.received).toHaveLength(1);
  });

  it("keeps the first 4,096 bytes, cut between characters, without NUL, and reads no further [webhooks.kept-answer]", async () => {
    receiver.answer(answers.status(200, {}, `a\u0000${"é".repeat(5_000)}`));
    const { response, error } = await post(sender());
    expect(error).toBeNull();
    expect(response).toBe(`a${"é".repeat(2_047)}`);
    receiver.answer(answers.flood(1e9, 500));
    const { result, ranMs } = await timed(() => post(sender()));
    expect(result.response).toBe("y".repeat(4_096));
    expect(ranMs).toBeLessThan(500);
  });

  it("takes bytes that are no UTF-8 [webhooks.kept-answer]", async () => {
    receiver.answer((_, response) => void response.writeHead(200).end(Buffer.from([0xff, 0xfe, 0x41])));
    expect((await post(sender())).response).toBe("\ufffd\ufffdA");
  });

  it("ends after its time, whether nothing comes or a byte now and then [webhooks.attempt-time]", async () => {
    const from = sender({ attemptMs: 300 });
    for (const answer of [
      answers.hang,
      answers.drip(20),
      answers.raw("HTTP/1.1 200 OK\r\n", 20, "X-A: 1\r\n"),
      answers.raw("", 30, "HTTP/1.1 102 Processing\r\n\r\n"),
    ]) {
      receiver.answer(answer);
      const { result, ranMs } = await timed(() => post(from));
      expect(result.error).toBe("timeout: no complete answer within 0.3 s");
      expect(ranMs).toBeLessThan(500);
    }
  });

  it.each([
    ["a flood of interim answers", answers.raw("HTTP/1.1 102 Processing\r\n\r\n".repeat(5_000)), /interim/],
    [
      "headers without end",
      answers.raw(`HTTP/1.1 200 OK\r\n${"X-Header: some value\r\n".repeat(2_000)}`),
      /headers are too large/,
    ],
    [
      "a switch of protocols",
      answers.raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
      /./,
    ],
    ["what is not HTTP", answers.raw("SSH-2.0-OpenSSH_9.6\r\n"), /not HTTP/],
    ["a reset", answers.reset, /reset|closed/],
    [
      "a body that ends too soon",
      answers.cut("HTTP/1.1 200 OK\r\nContent-Length: 50\r\nConnection: close\r\n\r\nshort"),
      /closed|shorter/,
    ],
  ])("fails on %s", async (_, answer, error) => {
    receiver.answer(answer);
    expect((await post(sender())).error).toMatch(error);
  });

  it("says that nobody listens", async () => {
    const { port } = receiver;
    await receiver.close();
    const outcome = await post(sender({ allow: [`127.0.0.1:${port}`] }));
    expect(outcome).toMatchObject({ error: "connection refused", statusCode: null, response: null });
    receiver = await openReceiver();
  });

  it("gives a connection its own, shorter time: TLS that never answers [webhooks.attempt-time]", async () => {
    const silent = createServer((socket) => socket.on("error", () => undefined));
    await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
    closers.push(async () => void silent.close());
    const { port } = silent.address() as { port: number };
    const from = sender({ allow: [`127.0.0.1:${port}`], connectMs: 300 });
    const { result, ranMs } = await timed(() => post(from, `https://127.0.0.1:${port}/`));
    expect(result.error).toMatch(/could not connect/);
    expect(ranMs).toBeLessThan(600);
  });

  it("uses connections again, and interrupts what is under way when it is told to", async () => {
    const from = sender();
    for (let n = 0; n < 20; n += 1) await post(from);
    expect(new Set(receiver.received.map(({ connection }) => connection)).size).toBeLessThanOrEqual(2);
    receiver.answer(answers.hang);
    const hanging = post(from);
    await receiver.until(21);
    from.interrupt();
    expect(await hanging).toMatchObject({ error: "interrupted", interrupted: true });
  });
});

describe("safe addresses at each connect [webhooks.safe-connections]", () => {
  const unsafe = /unsafe address/;
  const resolving = (...answered: (readonly string[])[]) => {
    let asked = 0;
    return async () => {
      asked += 1;
      return answered[Math.min(asked, answered.length) - 1] ?? [];
    };
  };

  it.each([
    "https://127.0.0.1:PORT/",
    "https://2130706433:PORT/",
    "https://0x7f.1:PORT/",
    "https://[::1]:PORT/",
    "https://[::ffff:127.0.0.1]:PORT/",
    "http://127.0.0.1:PORT/",
    "http://hooks.example.com:PORT/",
  ])("refuses %s, which no look-up would see", async (url) => {
    const from = sender({ allow: [], resolve: resolving(["127.0.0.1"]) });
    expect((await post(from, url.replace("PORT", String(receiver.port)))).error).toMatch(unsafe);
    expect(receiver.received).toHaveLength(0);
  });

  it.each([
    [["127.0.0.1"]],
    [["93.184.216.34", "127.0.0.1"]],
    [["::1"]],
    [["::ffff:127.0.0.1"]],
    [["169.254.169.254"]],
  ])("refuses a name that means %j", async (addresses) => {
    const from = sender({ allow: [], resolve: resolving(addresses) });
    expect((await post(from, `https://hooks.example.com:${receiver.port}/`)).error).toMatch(unsafe);
    expect(receiver.received).toHaveLength(0);
  });

  it("vets again at each connect: a name that meant another address a moment ago", async () => {
    // the first answer is public, and nobody listens there
    const from = sender({ allow: [], resolve: resolving(["192.0.9.1"], ["127.0.0.1"]), connectMs: 300 });
    const url = `https://hooks.example.com:${receiver.port}/`;
    expect((await post(from, url)).error).not.toMatch(unsafe);
    expect((await post(from, url)).error).toMatch(unsafe);
    expect(receiver.received).toHaveLength(0);
  });

  it("asks once for each connection, and dials what it has vetted", async () => {
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return asked === 1 ? ["127.0.0.1"] : ["192.0.2.1"];
    };
    const host = `hooks.example.com:${receiver.port}`;
    const from = sender({ allow: [host], resolve });
    expect((await post(from, `http://${host}/`)).error).toBeNull();
    expect(asked).toBe(1);
  });

  it("verifies TLS against the host's name, though it dials an address", async () => {
    const own = certificateFor("hooks.example.com", "127.0.0.1");
    const secure = await openReceiver({ tls: own });
    closers.push(() => secure.close());
    const named = (name: string) => `${name}:${secure.port}`;
    const resolve = async () => ["127.0.0.1"];
    const allow = [named("hooks.example.com"), named("other.example.com"), named("127.0.0.1")];
    const trusting = sender({ allow, resolve, ca: own.cert });
    expect((await post(trusting, `https://${named("hooks.example.com")}/`)).error).toBeNull();
    expect((await post(trusting, `https://${named("127.0.0.1")}/`)).error).toBeNull();
    expect((await post(trusting, `https://${named("other.example.com")}/`)).error).toMatch(/not for this host/);
    expect((await post(sender({ allow, resolve }), `https://${named("hooks.example.com")}/`)).error).toMatch(
      /self-signed/,
    );
    expect(secure.received).toHaveLength(2);
  });

  it("does not let a name server that hangs hold up others [webhooks.unresolved-names]", async () => {
    const resolve = (host: string) =>
      host === "slow.example.com" ? new Promise<string[]>(() => undefined) : Promise.resolve(["127.0.0.1"]);
    const allow = [`quick.example.com:${receiver.port}`];
    const from = sender({ allow, resolve, connectMs: 1_000 * patience });
    const slow = Array.from({ length: 20 }, () => post(from, "https://slow.example.com/"));
    const { result, ranMs } = await timed(() => post(from, `http://quick.example.com:${receiver.port}/`));
    expect(result.error).toBeNull();
    expect(ranMs).toBeLessThan(200);
    for (const outcome of await Promise.all(slow)) expect(outcome.error).toMatch(/could not connect/);
  });
});
