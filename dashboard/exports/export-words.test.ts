import { describe, expect, it } from "vitest";
import { type ExportRequest, isTable, exportRequest as requestShape } from "../../contract/exports.ts";
import { roleScopes } from "../../contract/roles.ts";
import { mistakesInForm } from "../../server/exports/request-export.ts";
import { compileCheck } from "../../server/platform/http/shapes.ts";
import { conditionCount, datasetsFor, fileKinds, filterWords, layoutOf, requestFor } from "./export-words.ts";

const check = compileCheck<ExportRequest>(requestShape, "body");
const csv = { kind: "csv", texts: true } as const;
const quiz = `quiz_${"1".repeat(32)}`;
const all = { from: "2026-03-01", to: "2026-03-31", quiz_id: quiz, search: { has_email: true }, tz: "Europe/Berlin" };

describe("what is asked for as a file", () => {
  it("carries the filters of the list over, and only those that the file can have [dashboard-exports.filters]", () => {
    expect(requestFor("profiles", csv, all)).toEqual({ dataset: "profiles", format: "csv", ...all });
    const { search: _, ...figures } = all;
    expect(requestFor("quiz_analytics", { kind: "json", texts: true }, all)).toEqual({
      dataset: "quiz_analytics",
      format: "json",
      ...figures,
    });
    const nothing = { from: null, to: "", quiz_id: null, search: {}, tz: "Europe/Berlin" };
    expect(requestFor("responses", csv, nothing)).toEqual({ dataset: "responses", format: "csv", headers: "texts" });
  });

  it("is what the API takes, in every kind of file, and is laid out alike when it is asked for again [dashboard-exports.layout]", () => {
    const datasets = ["profiles", "responses", "quiz_analytics"] as const;
    for (const dataset of datasets) {
      for (const { value: kind } of fileKinds) {
        for (const texts of [true, false]) {
          const { value: body, errors } = check(requestFor(dataset, { kind, texts }, all));
          expect([dataset, kind, errors, mistakesInForm(body)]).toEqual([dataset, kind, [], []]);
          const { format = "csv", csv_style = format === "csv" ? "spreadsheet" : null } = body;
          const headers = isTable(format) ? (body.headers ?? "keys") : null;
          const again = requestFor(dataset, layoutOf({ format, csv_style, headers }), all);
          expect(again).toEqual(requestFor(dataset, { kind, texts }, all));
        }
      }
    }
    expect(requestFor("responses", { kind: "plain", texts: true }, {})).toEqual({
      ...{ dataset: "responses", format: "csv", csv_style: "plain", headers: "texts" },
    });
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
