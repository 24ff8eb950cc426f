import { describe, expect, it } from "vitest";
import { profileSearch } from "../../../contract/search.ts";
import { operatorsOf, termKinds, termOperators } from "../../../contract/search-terms.ts";
import { compileCheck } from "../../platform/http/shapes.ts";
import { readSearch } from "./read-search.ts";

const check = compileCheck(profileSearch, "body");

/** The fields that a body is refused for, by its shape or by what is behind it; none when it is taken. */
function refused(body: unknown): string[] {
  const { value, errors } = check(structuredClone(body));
  if (errors.length > 0) return errors.map(({ field }) => field);
  // checked above: its shape is that of a search
  const read = readSearch(value as never, "body");
  return "errors" in read ? read.errors.map(({ field }) => field) : [];
}

const quiz_id = `quiz_${"1".repeat(32)}`;
const question = { quiz_id, page_key: "p", component_key: "c" };
const term = (more: object) => ({ groups: [{ all: [more] }] });
const at = "body.groups.0.all.0";

/** One sound term of every kind and operator. */
const sound: Record<string, object> = {
  choice: { ...question, kind: "choice", op: "in", option_ids: ["a"] },
  number: { ...question, kind: "number", op: "eq", value: 1 },
  date: { ...question, kind: "date", op: "before", value: "2026-03-01" },
  text: { ...question, kind: "text", op: "contains", value: "dry" },
  email: { ...question, kind: "email", op: "answered" },
  phone: { ...question, kind: "phone", op: "not_answered" },
  points: { quiz_id, kind: "points", op: "gt", dimension_id: "d", value: 1 },
  formula: { ...question, kind: "formula", op: "between", min: 1, max: 1 },
  winner: { quiz_id, kind: "winner", op: "in", option_ids: ["d"] },
  session: { quiz_id, kind: "session", op: "equals", value: "completed", page_key: "p" },
};

describe("the search body", () => {
  it("takes a sound term of every kind, and nothing at all [search.body]", () => {
    expect(Object.keys(sound)).toEqual(termKinds);
    for (const one of Object.values(sound)) expect(refused(term(one))).toEqual([]);
    expect(refused(term({ quiz_id, kind: "session", op: "equals", outcome: "d", page_key: "p" }))).toEqual([]);
    expect(refused({})).toEqual([]);
    expect(refused({ groups: [] })).toEqual([]);
  });

  it("refuses every operator that a kind does not take, naming op [search.operators]", () => {
    for (const kind of termKinds) {
      for (const op of termOperators) {
        const fields = refused(term({ ...sound[kind], op }));
        expect([kind, op, fields.includes(`${at}.op`)]).toEqual([kind, op, !operatorsOf[kind].includes(op)]);
      }
    }
  });

  it.for([
    ["no quiz", { kind: "session", op: "equals", value: "completed" }, ["quiz_id"]],
    ["no kind and operator", { quiz_id }, ["kind", "op"]],
    ["an unknown kind", { ...question, kind: "colour", op: "in" }, ["kind"]],
    ["a question without component", { quiz_id, page_key: "p", kind: "number", op: "eq", value: 1 }, ["component_key"]],
    ["a question without page", { quiz_id, component_key: "c", kind: "email", op: "answered" }, ["page_key"]],
    ["points without dimension", { quiz_id, kind: "points", op: "gt", value: 1 }, ["dimension_id"]],
    ["points with a page", { ...sound["points"], page_key: "p" }, ["page_key"]],
    ["a choice of nothing", { ...sound["choice"], option_ids: [], option_labels: [] }, ["option_ids"]],
    ["a choice with a value", { ...sound["choice"], value: "a" }, ["value"]],
    ["a winner without dimensions", { quiz_id, kind: "winner", op: "in" }, ["option_ids"]],
    ["a winner by label", { ...sound["winner"], option_labels: ["Dry"] }, ["option_labels"]],
    ["eq with min", { ...sound["number"], min: 1 }, ["min"]],
    ["between with value", { ...sound["formula"], value: 1 }, ["value"]],
    ["between without max", { ...question, kind: "number", op: "between", min: 1 }, ["max"]],
    ["min above max", { ...sound["formula"], min: 2 }, ["min"]],
    ["a number as text", { ...sound["number"], value: "1" }, ["value"]],
    ["a number that is none", { ...sound["number"], value: null }, ["value"]],
    ["a day that is none", { ...sound["date"], value: "2026-02-29" }, ["value"]],
    ["a day as number", { ...sound["date"], value: 20260301 }, ["value"]],
    [
      "days the wrong way round",
      { ...question, kind: "date", op: "between", min: "2026-03-02", max: "2026-03-01" },
      ["min"],
    ],
    ["a text as number", { ...sound["text"], value: 1 }, ["value"]],
    ["an empty text", { ...sound["text"], value: "" }, ["value"]],
    ["matches without a word", { ...sound["text"], op: "matches", value: " \t" }, ["value"]],
    ["answered with a value", { ...sound["email"], value: "a" }, ["value"]],
    ["a session that ended otherwise", { ...sound["session"], value: "left" }, ["value"]],
    ["a session with neither ending nor result", { quiz_id, kind: "session", op: "equals" }, ["value"]],
    ["a session with ending and result", { ...sound["session"], outcome: "d" }, ["outcome"]],
    ["a result of another kind", { ...sound["winner"], outcome: "d" }, ["outcome"]],
    ["a result of 201 characters", { ...sound["session"], value: undefined, outcome: "a".repeat(201) }, ["outcome"]],
    ["a session with a component", { ...sound["session"], component_key: "c" }, ["component_key"]],
    ["a field of no term", { ...sound["session"], colour: 1 }, ["colour"]],
    ["51 options", { ...sound["choice"], option_ids: Array(51).fill("a") }, ["option_ids"]],
    ["an option of 201 characters", { ...sound["choice"], option_ids: ["a".repeat(201)] }, ["option_ids.0"]],
    ["a key of 201 characters", { ...sound["email"], component_key: "a".repeat(201) }, ["component_key"]],
    ["a text of 201 characters", { ...sound["text"], value: "a".repeat(201) }, ["value"]],
    ["own fields beside any", { any: [sound["email"]], quiz_id, kind: "session" }, ["quiz_id", "kind"]],
    ["an empty any", { any: [] }, ["any"]],
  ] as const)("refuses %s in a term, by its path [search.operands, search.bounds]", ([, given, fields]) => {
    const paths = fields.map((field) => `${at}.${field}`);
    expect(refused(term(given))).toEqual(paths);
    if (!("any" in given)) {
      const inside = paths.map((path) => path.replace(at, `${at}.any.1`));
      expect(refused(term({ any: [sound["email"], given] }))).toEqual(inside);
    }
  });

  it("counts characters, not bytes, and keeps the bounds of groups and slots [search.bounds]", () => {
    expect(refused(term({ ...sound["text"], value: "🌸".repeat(200) }))).toEqual([]);
    const group = { all: [sound["email"]] };
    expect(refused({ groups: Array(4).fill(group) })).toEqual([]);
    expect(refused({ groups: Array(5).fill(group) })).toEqual(["body.groups"]);
    expect(refused({ groups: [group, { all: Array(9).fill(sound["email"]) }] })).toEqual(["body.groups.1.all"]);
    expect(refused({ groups: [{ all: [] }] })).toEqual(["body.groups.0.all"]);
    expect(refused({ groups: [{}] })).toEqual(["body.groups.0.all"]);
  });

  it("refuses days the wrong way round and fields of no search [people.parameters]", () => {
    expect(refused({ from: "2026-03-02", to: "2026-03-01" })).toEqual(["body.from"]);
    expect(refused({ from: "2026-3-2" })).toEqual(["body.from"]);
    expect(refused({ q: "ada" })).toEqual(["body.q"]);
    expect(refused({ match: "all" })).toEqual(["body.match"]);
    expect(refused({ has_email: "true" })).toEqual(["body.has_email"]);
  });
});
