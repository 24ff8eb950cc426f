import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import type { DraftChange } from "../../client/src/index.ts";
import { oneOf } from "../../contract/common.ts";
import { profileSearch } from "../../contract/search.ts";
import { sampleQuiz } from "../../testkit/sample-quiz.ts";
import { documentFormat } from "./document-format.ts";
import { withMeantValue } from "./draft-values.ts";
import { asExpected, type Shape } from "./sent-input.ts";

const shapeOf = (shape: object): Shape => JSON.parse(JSON.stringify(shape));

describe("what a client sends [mcp.sent-input]", () => {
  const shape = shapeOf(
    Type.Object({
      quiz_id: Type.String(),
      by: Type.Optional(oneOf(["a", "b"])),
      limit: Type.Optional(Type.Integer()),
      save: Type.Optional(Type.Boolean()),
      label: Type.Optional(Type.String()),
      search: Type.Optional(profileSearch),
      list: Type.Optional(Type.Array(Type.Object({ n: Type.Number(), note: Type.Optional(Type.String()) }))),
      any: Type.Optional(Type.Unknown()),
      nothing: Type.Optional(Type.Union([Type.Null(), Type.String()])),
    }),
  );
  const read = (sent: object) => asExpected(shape, { quiz_id: "quiz_1", ...sent });

  it("is taken as left out where it is null or empty and need not be given", () => {
    expect(read({ by: null, limit: "", save: null, label: " ", search: null, list: "" })).toEqual({
      quiz_id: "quiz_1",
    });
    expect(
      read({
        list: [
          { n: 1, note: null },
          { n: 2, note: "" },
        ],
      }),
    ).toEqual({
      ...{ quiz_id: "quiz_1", list: [{ n: 1 }, { n: 2 }] },
    });
    expect(asExpected(shape, { quiz_id: "" })).toEqual({ quiz_id: "" });
    expect(asExpected(shape, { quiz_id: null })).toEqual({ quiz_id: null });
  });

  it("keeps null and empty where they mean something", () => {
    expect(read({ any: null, nothing: null })).toEqual({ quiz_id: "quiz_1", any: null, nothing: null });
    expect(read({ any: "", unknown: null })).toEqual({ quiz_id: "quiz_1", any: "", unknown: null });
  });

  it("is JSON in a text only where no text is expected", () => {
    expect(read({ limit: "10", save: "true", list: '[{"n":"1","note":"2"}]' })).toEqual({
      ...{ quiz_id: "quiz_1", limit: 10, save: true, list: [{ n: 1, note: "2" }] },
    });
    expect(read({ label: '{"a":1}', any: "[1]", by: "1" })).toEqual({
      ...{ quiz_id: "quiz_1", label: '{"a":1}', any: "[1]", by: "1" },
    });
    const term = { kind: "choice", op: "in", quiz_id: "quiz_1", page_key: "p", component_key: "c", option_ids: ["1"] };
    const search = { groups: [{ all: [term] }] };
    for (const sent of [JSON.stringify(search), { groups: JSON.stringify(search.groups) }, search])
      expect(read({ search: sent })).toEqual({ quiz_id: "quiz_1", search });
  });

  it("stays as it is where it is no JSON, of another type, or deeper than anything a tool takes", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    for (const sent of [{ limit: "ten" }, { save: "1" }, { list: "{}" }, { list: deep }, { search: "[" }])
      expect(read(sent)).toEqual({ quiz_id: "quiz_1", ...sent });
  });
});

describe("values of a draft's changes [mcp.draft-values]", () => {
  const looksLikeJson = ['{"a":1}', "[1]", "5", "true", "null", '"quoted"', "-0.5"];
  const setTo = (path: string, value: unknown) => withMeantValue({ op: "set", path, value } as DraftChange).value;

  /** Every place of a document, with what stands there. */
  function* places(value: unknown, path: string): Generator<[string, unknown]> {
    yield [path, value];
    if (typeof value !== "object" || value === null) return;
    for (const [name, inner] of Object.entries(value)) yield* places(inner, `${path}/${name}`);
  }

  const documents = [documentFormat.example, sampleQuiz(), { presentation: { theme: { radius: 4, accent: "#123" } } }];

  it("mean what they would as JSON, at every place that holds no text", () => {
    for (const [path, value] of documents.flatMap((document) => [...places(document, "")])) {
      if (typeof value === "string" || value === null || /\/when\/value$|\/visible_when\/value$/.test(path)) continue;
      expect([path, setTo(path, JSON.stringify(value))]).toEqual([path, value]);
      expect([path, setTo(path, value)]).toEqual([path, value]);
    }
  });

  it("stay texts at every place that holds one, whatever they look like", () => {
    for (const [path, value] of documents.flatMap((document) => [...places(document, "")])) {
      if (typeof value !== "string") continue;
      for (const text of looksLikeJson) expect([path, setTo(path, text)]).toEqual([path, text]);
    }
  });

  it("are read inside a value and in an entry that is inserted", () => {
    const component = { kind: "text", component_key: "1", question: "[1]", required: "true", max_length: "5" };
    const page = { page_key: "one", title: "5", components: JSON.stringify([component]), visible_when: "null" };
    const change = { op: "insert", path: "/pages", value: JSON.stringify(page) } as const;
    expect(withMeantValue(change).value).toEqual({
      ...{ page_key: "one", title: "5", visible_when: null },
      components: [{ kind: "text", component_key: "1", question: "[1]", required: true, max_length: 5 }],
    });
    expect(withMeantValue({ op: "remove", path: "/pages/one" })).toEqual({ op: "remove", path: "/pages/one" });
  });
});
