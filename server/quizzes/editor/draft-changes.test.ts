import { describe, expect, it } from "vitest";
import type { DraftChange } from "../../../contract/drafts.ts";
import { Problem } from "../../platform/problems.ts";
import { applyChanges } from "./draft-changes.ts";

const draft = {
  pages: [
    {
      page_key: "a",
      title: "A",
      components: [{ component_key: "one", options: [{ option_id: "x" }, { option_id: "y" }] }],
    },
    { page_key: "b", title: "B", components: [] },
  ],
  dimensions: [],
};

const keysOf = (document: unknown): string[] =>
  (document as { pages: { page_key: string }[] }).pages.map(({ page_key }) => page_key);

describe("changes of a draft [drafts.changes]", async () => {
  it("set, insert, remove and move what a path names by keys or numbers, and leave the draft before as it was", async () => {
    const before = structuredClone(draft);
    const changed = await applyChanges(draft, [
      { op: "set", path: "/pages/a/title", value: "First" },
      { op: "set", path: "/pages/1/title", value: "Second" },
      { op: "insert", path: "/pages", value: { page_key: "c" } },
      { op: "insert", path: "/pages", value: { page_key: "d" }, before: "b" },
      { op: "move", path: "/pages/c", before: "a" },
      { op: "move", path: "/pages/a/components/one/options/x" },
      { op: "remove", path: "/pages/b" },
      { op: "set", path: "/presentation", value: { locale: "de" } },
      { op: "insert", path: "/jump_rules", value: { jump_rule_key: "j" } },
      { op: "remove", path: "/dimensions" },
    ]);
    expect(changed).toEqual({
      pages: [
        { page_key: "c" },
        {
          page_key: "a",
          title: "First",
          components: [{ component_key: "one", options: [{ option_id: "y" }, { option_id: "x" }] }],
        },
        { page_key: "d" },
      ],
      presentation: { locale: "de" },
      jump_rules: [{ jump_rule_key: "j" }],
    });
    expect(draft).toEqual(before);
  });

  it("find an entry by its key before its number, and names with slashes", async () => {
    const odd = { pages: [{ page_key: "1" }, { page_key: "a/b~c" }] };
    expect(keysOf(await applyChanges(odd, [{ op: "remove", path: "/pages/1" }]))).toEqual(["a/b~c"]);
    expect(keysOf(await applyChanges(odd, [{ op: "remove", path: "/pages/a~1b~0c" }]))).toEqual(["1"]);
    expect(await applyChanges({}, [{ op: "set", path: "", value: { pages: [] } }])).toEqual({ pages: [] });
  });

  const wrong: Record<string, DraftChange> = {
    "no such entry": { op: "set", path: "/pages/z/title", value: 1 },
    "no such number": { op: "remove", path: "/pages/2" },
    "a field within nothing": { op: "set", path: "/presentation/theme", value: {} },
    "a field of a text": { op: "set", path: "/pages/a/title/x", value: 1 },
    "an insert into no list": { op: "insert", path: "/pages/a/title", value: 1 },
    "a move within no list": { op: "move", path: "/pages/a/title" },
    "no value": { op: "set", path: "/pages/a/title" },
    "a value to remove": { op: "remove", path: "/pages/a", value: 1 },
    "a place to set": { op: "set", path: "/pages/a/title", value: 1, before: "b" },
    "a path without a slash": { op: "remove", path: "pages" },
    "a path too deep": { op: "remove", path: "/a".repeat(31) },
    "the whole draft": { op: "remove", path: "" },
    "a list in place of the draft": { op: "set", path: "", value: [] },
    "a prototype": { op: "set", path: "/__proto__/polluted", value: true },
    "before what is not there": { op: "insert", path: "/pages", value: {}, before: "z" },
  };

  it.each(Object.entries(wrong))("that cannot be made are refused by their place: %s", async (_name, change) => {
    const refused = () => applyChanges(draft, [{ op: "set", path: "/pages/a/title", value: "First" }, change]);
    const error = await refused().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Problem);
    expect((error as Problem).extra.errors?.[0]?.field).toMatch(/^body\.changes(\.1)?$/);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});
