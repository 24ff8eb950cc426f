import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../../testkit/app.ts";
import { testRoutes } from "../../../testkit/operations.ts";

let t: TestApp;
let key: string;
beforeAll(async () => {
  t = await openTestApp({ extraRoutes: testRoutes().routes });
  const store = await t.store();
  key = store.key;
  const limits = { capacity: 1_000_000, leak_per_second: 1_000_000 };
  await t.update(store, { limits });
});
afterAll(() => t.close());

const touch = "/v1/things/quiz_1/touch";
async function send(method: string, url: string, payload?: string | Buffer, headers: Record<string, string> = {}) {
  const all = { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers };
  const answer = await t.app.inject({
    method: method as "GET",
    url,
    headers: all,
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: answer.statusCode, body: answer.json() };
}
const fields = (body: { errors?: { field: string }[] }) => body.errors?.map((error) => error.field);

describe("large bodies full of mistakes [api.validation]", () => {
  const many = <Value>(count: number, value: (index: number) => Value) =>
    Array.from({ length: count }, (_, i) => value(i));

  it("are refused by their first mistake, as fast as others", async () => {
    const bodies = [
      JSON.stringify({ inner: { ids: many(300_000, () => 1) } }),
      JSON.stringify(Object.fromEntries(many(80_000, (i) => [`k${i}`, 1]))),
      JSON.stringify({ inner: { ids: many(20_000, (i) => ({ i })) } }),
    ];
    for (const body of bodies) {
      await send("POST", "/v1/things", body);
      // of the processor: other tests may run beside this one
      const before = process.cpuUsage();
      const answer = await send("POST", "/v1/things", body);
      expect([answer.status, answer.body.errors.length]).toEqual([422, 1]);
      // all mistakes together take several times as long to find
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(400);
    }
  });

  it("are not sent back: of names that the caller made up only short and harmless ones [api.validation]", async () => {
    const answer = await send("POST", "/v1/things", JSON.stringify({ ["x".repeat(900_000)]: 1 }));
    expect([answer.status, fields(answer.body)]).toEqual([422, ["body.unknown"]]);
    for (const name of ["<script>alert(1)</script>", "a b", "\u202eevil", "x".repeat(65), "\n"]) {
      const body = await send("POST", "/v1/things", JSON.stringify({ [name]: 1 }));
      const query = await send("GET", `/v1/things?${encodeURIComponent(name)}x%20=1`);
      expect([name, fields(body.body)]).toEqual([name, ["body.unknown"]]);
      expect([name, fields(query.body)]).toEqual([name, ["query.unknown"]]);
      if (name.length > 1) expect(JSON.stringify([body.body, query.body])).not.toContain(name);
    }
    const named = await send("GET", "/v1/things?odd_Name-1.x=1");
    expect(fields(named.body)).toEqual(["query.odd_Name-1.x"]);
  });

  it("of usual size name every mistake", async () => {
    const answer = await send("POST", "/v1/things", JSON.stringify({ label: 1, count: -1, odd: 1 }));
    expect(fields(answer.body)?.sort()).toEqual(["body.count", "body.label", "body.odd"]);
  });
});

describe("bodies [api.bodies]", () => {
  it.for(["application/json", "text/plain", "nonsense", "multipart/form-data", "", "a/b; c", ";"])(
    "takes an empty body as {} with the content type %o [api.bodies]",
    async (type) => {
      expect((await send("POST", touch, "", { "content-type": type })).status).toBe(200);
      expect((await send("POST", "/v1/things", "", { "content-type": type })).body.given).toEqual({});
      expect((await send("GET", "/v1/store", "", { "content-type": type })).status).toBe(200);
    },
  );

  it("takes {} and nothing else where a route has no body, a GET included [api.bodies]", async () => {
    for (const [method, url] of [
      ["POST", touch],
      ["GET", "/v1/store"],
    ] as const) {
      expect((await send(method, url, "{}")).status).toBe(200);
      expect((await send(method, url, " {} \n")).status).toBe(200);
      expect(fields((await send(method, url, '{"a":1,"b":2}')).body)).toEqual(["body.a", "body.b"]);
      for (const other of ["[]", "null", '"x"', "1", "true"]) {
        const answer = await send(method, url, other);
        expect([other, answer.status, fields(answer.body)]).toEqual([other, 422, ["body"]]);
      }
    }
  });

  it.for([
    ["half a document", '{"label":'],
    ["two documents", "{}{}"],
    ["a trailing comma", '{"label":"a",}'],
    ["single quotes", "{'label':'a'}"],
    ["NaN", '{"count":NaN}'],
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ["half a UTF-8 character", Buffer.from('{"label":"\u00e9"}').subarray(0, 11)],
    ["UTF-16", Buffer.from('{"label":"a"}', "utf16le")],
    ["a raw NUL", '{"label":"a\u0000b"}'],
    ["an escaped NUL", '{"label":"a\\u0000b"}'],
    ["an escaped NUL in a name", '{"la\\u0000bel":"a"}'],
    ["arrays nested 100,000 deep", "[".repeat(100_000) + "]".repeat(100_000)],
    ["objects nested 100,000 deep", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["arrays nested 400,000 deep without an end", "[".repeat(400_000)],
  ] as const)("refuses %s with one error of the body [api.bodies, api.body-bounds]", async ([, payload]) => {
    const answer = await send("POST", "/v1/things", payload);
    expect([answer.status, answer.body.title, fields(answer.body)]).toEqual([422, "validation_error", ["body"]]);
  });

  it.for(["text/plain", "application/x-www-form-urlencoded", "nonsense", "", "application/json; charset=latin1"])(
    "refuses a body of the content type %o [api.bodies]",
    async (type) => {
      const answer = await send("POST", "/v1/things", "{}", { "content-type": type });
      expect([answer.status, fields(answer.body)]).toEqual([422, ["body"]]);
    },
  );

  it("takes a byte-order mark, any case of the type, and UTF-8 by name [api.bodies]", async () => {
    expect((await send("POST", "/v1/things", '\ufeff{"label":"\u00e9"}')).body.given).toEqual({ label: "\u00e9" });
    for (const type of ["Application/JSON", 'application/json; charset="UTF-8"', "application/json;charset=utf-8"]) {
      expect((await send("POST", "/v1/things", "{}", { "content-type": type })).status).toBe(201);
    }
  });

  it("takes the last of two fields with one name, and checks that one [api.bodies]", async () => {
    expect((await send("POST", "/v1/things", '{"count":"x","count":2}')).body.given).toEqual({ count: 2 });
    expect((await send("POST", "/v1/things", '{"count":2,"count":"x"}')).status).toBe(422);
  });

  it("refuses __proto__, constructor and the like as undeclared fields, and nothing is polluted [api.bodies]", async () => {
    for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
      const answer = await send("POST", "/v1/things", `{"${name}":{"label":"x","polluted":true}}`);
      expect([answer.status, fields(answer.body)]).toEqual([422, [`body.${name}`]]);
    }
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("names every refused field by its dotted path [api.validation]", async () => {
    const sent = { label: 5, odd: 1, count: -1, inner: { ids: ["quiz_1", 7], more: true } };
    const answer = await send("POST", "/v1/things?x=1&y=2", JSON.stringify(sent));
    expect(fields(answer.body)?.toSorted()).toEqual(
      [
        "body.count",
        "body.inner.ids.0",
        "body.inner.ids.1",
        "body.inner.more",
        "body.label",
        "body.odd",
        "query.x",
        "query.y",
      ].toSorted(),
    );
    for (const error of answer.body.errors) expect(error.message).toMatch(/\S/);
    const long = await send("POST", "/v1/things", JSON.stringify({ label: "x".repeat(201), inner: {} }));
    expect(long.body.errors).toHaveLength(2);
    expect(long.body.errors).toContainEqual({ field: "body.inner.ids", message: "is required" });
    expect(long.body.errors).toContainEqual({ field: "body.label", message: "must have at most 200 characters" });
  });

  it("counts characters, not bytes or UTF-16 units [api.validation]", async () => {
    expect((await send("POST", "/v1/things", JSON.stringify({ label: "\u{1F33F}".repeat(200) }))).status).toBe(201);
    expect((await send("POST", "/v1/things", JSON.stringify({ label: "\u{1F33F}".repeat(201) }))).status).toBe(422);
  });
});

describe("query parameters [api.parameters]", () => {
  it.for([
    ["limit=0x10", "limit"],
    ["limit=1e1", "limit"],
    ["limit=%205", "limit"],
    ["limit=5%20", "limit"],
    ["limit=+5", "limit"],
    ["limit=%2B5", "limit"],
    ["limit=05", "limit"],
    ["limit=5.0", "limit"],
    ["limit=5.5", "limit"],
    ["limit=", "limit"],
    ["limit", "limit"],
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=-1", "limit"],
    ["limit=99999999999999999999", "limit"],
    ["limit=NaN", "limit"],
    ["limit=%D9%A5", "limit"],
    ["limit=5&limit=6", "limit"],
    ["limit=5&limit=5", "limit"],
    ["limit[]=5", "limit[]"],
    ["Limit=5", "Limit"],
    ["live=1", "live"],
    ["live=TRUE", "live"],
    ["live=yes", "live"],
    ["live=", "live"],
    ["name=12345678901", "name"],
    ["day=2026-02-30", "day"],
    ["day=2026-2-3", "day"],
    ["day=2026-02-03T00:00:00Z", "day"],
    ["day=%202026-02-03", "day"],
    ["nonsense=1", "nonsense"],
    ["nonsense", "nonsense"],
    ["__proto__=1", "__proto__"],
    ["constructor=1", "constructor"],
    ["=1", ""],
  ] as const)("refuses ?%s and names query.%s", async ([query, name]) => {
    const answer = await t.request("GET", `/v1/things?${query}`, { key });
    expect([answer.status, answer.body.title, fields(answer.body)]).toEqual([
      422,
      "validation_error",
      [`query.${name}`],
    ]);
  });

  it("takes what is written as declared, and fills in defaults", async () => {
    const read = async (query: string) => (await t.request("GET", `/v1/things${query}`, { key })).body.query;
    expect(await read("")).toEqual({ limit: 20 });
    expect(await read("?")).toEqual({ limit: 20 });
    expect(await read("?limit=100&live=false&name=%C3%A9%2B+x&day=2024-02-29")).toEqual({
      limit: 100,
      live: false,
      name: "\u00e9+ x",
      day: "2024-02-29",
    });
    expect(await read("?name=5&live=true")).toEqual({ limit: 20, name: "5", live: true });
  });
});
