import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  ConnectionError,
  createClient,
  createExport,
  deleteWebhook,
  getAnalyticsSummary,
  getQuiz,
  getStore,
  listQuizzes,
  ProblemError,
  searchProfiles,
  updateWebhook,
} from "../src/index.ts";
import { answering, json, once, refusal, silence } from "./answers.ts";

/** What every call does, against prepared answers. */

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets a call go on through its pauses, and tells how long they were. */
async function ended<T>(call: Promise<T>): Promise<{ value?: T; error?: unknown; waited: number }> {
  const began = Date.now();
  let settled = false;
  const outcome = call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  outcome.finally(() => {
    settled = true;
  });
  for (let steps = 0; !settled && steps < 10_000; steps++) await vi.advanceTimersByTimeAsync(10);
  return { ...(await outcome), waited: Date.now() - began };
}

describe("a call", () => {
  it("goes where the operation is, with the key, and answers the body [client.calls]", async () => {
    const { asked, settings } = answering(json({ name: "Shop" }));
    expect(await getStore(createClient(settings))).toEqual({ name: "Shop" });
    expect(asked[0]).toMatchObject({ url: "http://api/v1/store", method: "GET", body: null });
    expect(asked[0]?.headers.get("authorization")).toBe("Bearer svc_live_1");
  });

  it("keeps a path in the address, as the dashboard's client has it", async () => {
    const { asked, settings } = answering(json({}));
    await getStore(createClient({ ...settings, baseUrl: "/dashboard/api", apiKey: undefined }));
    expect(asked[0]?.url).toBe("/dashboard/api/v1/store");
    expect(asked[0]?.headers.has("authorization")).toBe(false);
  });

  it("asks functions for the key and for headers, anew for each call", async () => {
    const { asked, settings } = answering(json({}), json({}));
    let count = 0;
    const headers = () => ({ "quizstore-store": `store_${count}` });
    const client = createClient({ ...settings, apiKey: async () => `key-${++count}`, headers });
    await getStore(client);
    await getStore(client);
    expect(asked.map((each) => each.headers.get("authorization"))).toEqual(["Bearer key-1", "Bearer key-2"]);
    expect(asked.map((each) => each.headers.get("quizstore-store"))).toEqual(["store_1", "store_2"]);
  });

  it("takes a header that is given in place of its own, however it is written", async () => {
    const { asked, settings } = answering(json({}));
    const client = createClient({ ...settings, headers: { Authorization: "Bearer other", "X-From": "all" } });
    await createExport(
      client,
      { body: { dataset: "profiles" } },
      { headers: { "Idempotency-Key": "mine", "x-from": "this" } },
    );
    const told = ["authorization", "idempotency-key", "x-from"].map((name) => asked[0]?.headers.get(name));
    expect(told).toEqual(["Bearer other", "mine", "this"]);
  });

  it("leaves out of the query what is undefined, and escapes what is not", async () => {
    const { asked, settings } = answering(json({ data: [], has_more: false, next_cursor: null }));
    await listQuizzes(createClient(settings), { query: { cursor: "a&b c", limit: undefined, archived: false } });
    expect(asked[0]?.url).toBe("http://api/v1/quizzes?cursor=a%26b+c&archived=false");
  });

  it("keeps any id inside its own segment of the path [client.paths]", async () => {
    const { asked, settings } = answering(json({}));
    await getQuiz(createClient(settings), { path: { quiz_id: "../exports?x#y/é" } });
    expect(asked[0]?.url).toBe("http://api/v1/quizzes/..%2Fexports%3Fx%23y%2F%C3%A9");
    for (const bad of ["", ".", ".."]) {
      const call = getQuiz(createClient(answering().settings), { path: { quiz_id: bad } });
      await expect(call).rejects.toThrow("path.quiz_id");
    }
  });

  it("tells on request what came beside the body", async () => {
    const { settings } = answering(json({ period: "7d" }, 200, { etag: '"1"' }));
    const { data, etag, requestId, response } = await getAnalyticsSummary(createClient(settings)).withResponse();
    expect([data, etag, requestId, response.status]).toEqual([{ period: "7d" }, '"1"', "req_1", 200]);
  });

  it("answers null where the figures are those that the caller holds [analytics.etag]", async () => {
    const { asked, settings } = answering(new Response(null, { status: 304, headers: { etag: '"1"' } }));
    expect(await getAnalyticsSummary(createClient(settings), {}, { ifNoneMatch: '"1"' })).toBe(null);
    expect(asked[0]?.headers.get("if-none-match")).toBe('"1"');
  });

  it("answers null where there is no body", async () => {
    const { settings } = answering(new Response(null, { status: 204 }));
    expect(await deleteWebhook(createClient(settings), { path: { endpoint_id: "whe_1" } })).toBe(null);
  });
});

describe("a refusal [client.problems]", () => {
  it("is an error with its title, status, fields and request id", async () => {
    const errors = [{ field: "query.device", message: "is not a known value" }];
    const { settings } = answering(refusal(422, "validation_error", {}, { errors }));
    const error = await getStore(createClient(settings)).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({
      ...{ status: 422, title: "validation_error", type: "http://api/errors/validation_error", detail: "No" },
      ...{ requestId: "req_1", errors, required: [], retryAfter: null },
      message: "GET /v1/store: validation_error (query.device: is not a known value) req_1",
    });
  });

  it("names the scopes that the key lacks, and the seconds to wait", async () => {
    const { settings } = answering(
      refusal(403, "insufficient_scope", {}, { required: ["profiles:read"] }),
      refusal(429, "rate_limited", { "retry-after": "7" }),
    );
    const client = createClient({ ...settings, retries: 0 });
    await expect(getStore(client)).rejects.toMatchObject({ required: ["profiles:read"] });
    await expect(getStore(client)).rejects.toMatchObject({ retryAfter: 7 });
  });

  it.for([
    ["a proxy's page", new Response("<h1>Bad gateway</h1>", { status: 502 }), 502],
    ["JSON of somebody else", json({ error: "no" }, 400), 400],
    ["JSON that is nothing", json(null, 500), 500],
    ["a success that is not JSON", new Response("<h1>Log in</h1>"), 200],
  ] as const)("of somebody else than the API is told as such: %s", async ([, response, status]) => {
    const { settings } = answering(response.clone());
    const call = getStore(createClient(settings), once);
    await expect(call).rejects.toMatchObject({ name: "ProblemError", title: "unexpected_answer", status });
  });

  it("is told once, also to those who asked for the response [client.problems]", async () => {
    const unheard = vi.fn();
    process.on("unhandledRejection", unheard);
    const { settings } = answering(refusal(404, "not_found"), refusal(404, "not_found"));
    const client = createClient(settings);
    await expect(getStore(client).withResponse()).rejects.toMatchObject({ title: "not_found" });
    await expect(listQuizzes(client)[Symbol.asyncIterator]().next()).rejects.toMatchObject({ title: "not_found" });
    vi.useRealTimers();
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off("unhandledRejection", unheard);
    expect(unheard).not.toHaveBeenCalled();
  });
});

describe("trying again [client.retries]", () => {
  const read = (settings: Parameters<typeof createClient>[0]) => getStore(createClient(settings));

  it("waits as long as Retry-After says", async () => {
    const { asked, settings } = answering(refusal(429, "rate_limited", { "retry-after": "3" }), json({ name: "Shop" }));
    const { value, waited } = await ended(read(settings));
    expect([value, asked.length]).toEqual([{ name: "Shop" }, 2]);
    expect(waited).toBeGreaterThanOrEqual(3_000);
    expect(waited).toBeLessThan(3_500);
  });

  it("leaves a pause of more than a minute to the caller", async () => {
    const { asked, settings } = answering(refusal(429, "rate_limited", { "retry-after": "61" }));
    const { error, waited } = await ended(read(settings));
    expect([asked.length, waited < 50]).toEqual([1, true]);
    expect(error).toMatchObject({ retryAfter: 61 });
  });

  it("grows its pauses where nobody says how long", async () => {
    const broken = () => new TypeError("fetch failed");
    const { asked, settings } = answering(broken(), broken(), broken(), broken());
    const { error, waited } = await ended(read(settings));
    expect(asked).toHaveLength(4);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ timedOut: false, message: "GET /v1/store: no answer (fetch failed)" });
    // 500 + 1000 + 2000, each from half of it to one and a half times
    expect(waited).toBeGreaterThanOrEqual(1_750);
    expect(waited).toBeLessThan(5_300);
  });

  it("tries as often as it is told to", async () => {
    const { asked, settings } = answering(refusal(503, "timeout"), refusal(503, "timeout"));
    await ended(getStore(createClient({ ...settings, retries: 5 }), { retries: 1 }));
    expect(asked).toHaveLength(2);
  });

  it.for([502, 503, 504])("tries what reads again after %i", async (status) => {
    const { asked, settings } = answering(refusal(status, "x", { "retry-after": "0" }), json({}));
    await ended(read(settings));
    expect(asked).toHaveLength(2);
  });

  it.for([400, 401, 403, 404, 409, 422, 500])("does not after %i", async (status) => {
    const { asked, settings } = answering(refusal(status, "x", { "retry-after": "0" }));
    await ended(read(settings));
    expect(asked).toHaveLength(1);
  });

  it("sends a change again with the same idempotency key [client.idempotency]", async () => {
    const prepared = () => answering(new TypeError("reset"), refusal(504, "timeout"), json({ id: "exp_1" }, 202));
    const { asked, settings } = prepared();
    const body = { dataset: "profiles", format: "csv" } as const;
    const { value } = await ended(createExport(createClient(settings), { body }));
    expect(value).toEqual({ id: "exp_1" });
    const keys = asked.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(keys).size).toBe(1);
    expect(asked.map((each) => each.body)).toEqual(Array(3).fill(JSON.stringify(body)));

    const other = prepared();
    await ended(createExport(createClient(other.settings), { body }));
    expect(other.asked[0]?.headers.get("idempotency-key")).not.toBe(keys[0]);
  });

  it("takes the caller's idempotency key [client.idempotency]", async () => {
    const { asked, settings } = answering(json({}));
    const body = { dataset: "profiles", format: "csv" } as const;
    await createExport(createClient(settings), { body }, { idempotencyKey: "mine" });
    expect(asked[0]?.headers.get("idempotency-key")).toBe("mine");
  });

  it("never repeats a change without a key of which nobody knows whether it took effect", async () => {
    const input = { path: { endpoint_id: "whe_1" }, body: { description: "x" } };
    for (const failure of [new TypeError("reset"), refusal(504, "timeout"), refusal(503, "dependency_unavailable")]) {
      const { asked, settings } = answering(failure);
      await ended(updateWebhook(createClient(settings), input));
      expect(asked).toHaveLength(1);
      expect(asked[0]?.headers.has("idempotency-key")).toBe(false);
    }
    const { asked, settings } = answering(refusal(429, "rate_limited", { "retry-after": "0" }), json({}));
    await ended(updateWebhook(createClient(settings), input));
    expect(asked).toHaveLength(2);
  });

  it("repeats a search, which changes nothing", async () => {
    const { asked, settings } = answering(
      new TypeError("reset"),
      json({ data: [], has_more: false, next_cursor: null }),
    );
    await ended(searchProfiles(createClient(settings), { body: {} }));
    expect(asked).toHaveLength(2);
  });
});

describe("ending a call [client.time]", () => {
  it("gives an attempt up after its time, and tries again", async () => {
    const { asked, settings } = answering(silence, silence);
    const { error, waited } = await ended(getStore(createClient({ ...settings, timeout: 1_000 }), { retries: 1 }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ timedOut: true });
    expect(asked).toHaveLength(2);
    expect(waited).toBeGreaterThanOrEqual(2_250);
  });

  it("counts a body that stops coming", async () => {
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"na')) });
    const { settings } = answering((_, signal) => {
      const stopped = body.pipeThrough(new TransformStream(), { signal });
      return new Response(stopped);
    });
    const { error } = await ended(getStore(createClient(settings), { retries: 0, timeout: 500 }));
    expect(error).toMatchObject({ timedOut: true });
  });

  it("ends with the caller's reason, on the way and between attempts", async () => {
    const reason = new Error("enough");
    for (const prepared of [silence, refusal(429, "rate_limited", { "retry-after": "30" })]) {
      const { asked, settings } = answering(prepared);
      const stop = new AbortController();
      setTimeout(() => stop.abort(reason), 200);
      const { error, waited } = await ended(getStore(createClient(settings), { signal: stop.signal }));
      expect(error).toBe(reason);
      expect([asked.length, waited < 300]).toEqual([1, true]);
    }
    const { asked, settings } = answering();
    const { error } = await ended(getStore(createClient(settings), { signal: AbortSignal.abort(reason) }));
    expect([error, asked.length]).toEqual([reason, 0]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("lists [client.lists]", () => {
  const page = (data: number[], next_cursor: string | null) =>
    json({ data: data.map((id) => ({ id })), has_more: next_cursor !== null, next_cursor });

  it("are one page when awaited", async () => {
    const { asked, settings } = answering(page([1, 2], "c1"));
    const { data, has_more } = await listQuizzes(createClient(settings));
    expect([data.map(({ id }) => id), has_more, asked.length]).toEqual([[1, 2], true, 1]);
  });

  it("are every row when walked, with the same filters on every page", async () => {
    const { asked, settings } = answering(page([1, 2], "c1"), page([], "c2"), page([3], null));
    const seen: unknown[] = [];
    for await (const { id } of listQuizzes(createClient(settings), { query: { limit: 2 } })) seen.push(id);
    expect(seen).toEqual([1, 2, 3]);
    expect(asked.map(({ url }) => new URL(url).search)).toEqual([
      "?limit=2",
      "?limit=2&cursor=c1",
      "?limit=2&cursor=c2",
    ]);
  });

  it("ask for a page only when it is wanted", async () => {
    const { asked, settings } = answering(page([1, 2], "c1"));
    for await (const _ of listQuizzes(createClient(settings))) break;
    expect(asked).toHaveLength(1);
  });

  it("send the body of a search with every page", async () => {
    const { asked, settings } = answering(page([1], "c1"), page([2], null));
    const pages: unknown[] = [];
    for await (const one of searchProfiles(createClient(settings), { body: { has_order: true } }).pages())
      pages.push(one);
    expect(pages).toHaveLength(2);
    expect(asked.map(({ body }) => body)).toEqual(['{"has_order":true}', '{"has_order":true}']);
  });

  it("go on after a refusal that passes", async () => {
    const { settings } = answering(
      page([1], "c1"),
      refusal(429, "rate_limited", { "retry-after": "1" }),
      page([2], null),
    );
    const seen: unknown[] = [];
    const walk = async () => {
      for await (const { id } of listQuizzes(createClient(settings))) seen.push(id);
    };
    await ended(walk());
    expect(seen).toEqual([1, 2]);
  });
});
