import { describe, expect, it } from "vitest";
import { exportRequest as requestShape } from "../../contract/exports.ts";
import { roleScopes } from "../../contract/roles.ts";
import { compileCheck } from "../../server/platform/http/shapes.ts";
import { conditionCount, datasetsFor, filterWords, requestFor } from "./export-words.ts";

const check = compileCheck(requestShape, "body");
const quiz = `quiz_${"1".repeat(32)}`;
const all = { from: "2026-03-01", to: "2026-03-31", quiz_id: quiz, search: { has_email: true }, tz: "Europe/Berlin" };

describe("what is asked for as a file", () => {
  it("carries the filters of the list over, and only those that the file can have [dashboard-exports.filters]", () => {
    expect(requestFor("profiles", "csv", all)).toEqual({ dataset: "profiles", format: "csv", ...all });
    const { search: _, ...figures } = all;
    expect(requestFor("quiz_analytics", "json", all)).toEqual({
      dataset: "quiz_analytics",
      format: "json",
      ...figures,
    });
    const nothing = { from: null, to: "", quiz_id: null, search: {}, tz: "Europe/Berlin" };
    expect(requestFor("responses", "csv", nothing)).toEqual({ dataset: "responses", format: "csv" });
    for (const dataset of ["profiles", "responses", "quiz_analytics"] as const)
      for (const filters of [all, nothing]) expect(check(requestFor(dataset, "csv", filters)).errors).toEqual([]);
  });

  it("offers an owner all files, an editor those without contacts, an analyst none [dashboard-exports.roles]", () => {
    expect(datasetsFor(new Set(roleScopes.owner))).toEqual(["profiles", "responses", "quiz_analytics"]);
    expect(datasetsFor(new Set(roleScopes.editor))).toEqual(["responses", "quiz_analytics"]);
    expect(datasetsFor(new Set(roleScopes.analyst))).toEqual([]);
  });

  it("says in words what a file was narrowed to", () => {
    const name = (id: string) => (id === quiz ? "Skin finder" : null);
    expect(filterWords(all, name)).toEqual([
      "2026-03-01 to 2026-03-31 (Europe/Berlin)",
      "Skin finder",
      "a search with 1 condition",
    ]);
    expect(filterWords({ to: "2026-03-31", quiz_id: `quiz_${"2".repeat(32)}` }, name)).toEqual([
      "up to 2026-03-31",
      "a quiz that was deleted",
    ]);
    expect(filterWords({ from: null, to: null, quiz_id: null, search: null, tz: null }, name)).toEqual([]);
    const term = { quiz_id: quiz, kind: "session", op: "equals", value: "completed" } as const;
    expect(
      conditionCount({ is_returning: false, match: "any_session", groups: [{ all: [term, { any: [term, term] }] }] }),
    ).toBe(4);
  });
});
