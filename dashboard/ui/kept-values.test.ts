import { describe, expect, it } from "vitest";
import { forgetForms, keepFormsOf, keptValues } from "./kept-values.ts";

const memory = () => {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    key: (index: number) => [...items.keys()][index] ?? null,
    get length() {
      return items.size;
    },
    removeItem: (key: string) => void items.delete(key),
  };
};

describe("what was typed into a form [dashboard.kept-forms]", () => {
  it("is there again for whoever opens the same form, and not for another one", () => {
    const storage = memory();
    keptValues<{ name: string }>(storage, "a", []).write({ name: "typed" });
    expect(keptValues(storage, "a", []).read()).toEqual({ name: "typed" });
    expect(keptValues(storage, "b", []).read()).toBeNull();
  });

  it("holds no password", () => {
    const storage = memory();
    keptValues<{ email: string; password: string }>(storage, "a", ["password"]).write({ email: "e", password: "p" });
    expect([...storage.items.values()].join()).not.toContain('"p"');
    expect(keptValues(storage, "a", ["password"]).read()).toEqual({ email: "e" });
  });

  it("is gone once it was saved", () => {
    const storage = memory();
    const kept = keptValues<{ name: string }>(storage, "a", []);
    kept.write({ name: "typed" });
    kept.forget();
    expect(kept.read()).toBeNull();
  });

  it("is gone from every form when somebody else is to use the tab, and other things stay", () => {
    const storage = memory();
    for (const form of ["a", "b"]) keptValues<{ name: string }>(storage, form, []).write({ name: "typed" });
    storage.setItem("other", "kept");
    forgetForms(storage);
    expect([...storage.items.keys()]).toEqual(["other"]);
  });

  it("is there for whoever typed it, and for nobody else who signs in", () => {
    const storage = memory();
    keepFormsOf(storage, "user_1");
    keptValues<{ name: string }>(storage, "a", []).write({ name: "typed" });
    keepFormsOf(storage, "user_1");
    expect(keptValues(storage, "a", []).read()).toEqual({ name: "typed" });
    keepFormsOf(storage, "user_2");
    expect(keptValues(storage, "a", []).read()).toBeNull();
  });

  it("is nothing where storage is denied or holds something else", () => {
    const refuse = (): never => {
      throw new Error("denied");
    };
    const denied = keptValues<{ name: string }>({ getItem: refuse, setItem: refuse, removeItem: refuse }, "a", []);
    denied.write({ name: "typed" });
    denied.forget();
    expect(denied.read()).toBeNull();
    for (const text of ["nonsense", "[1]", '"text"', "3"]) {
      const storage = memory();
      storage.items.set("quizstore-form a", text);
      expect([text, keptValues(storage, "a", []).read()]).toEqual([text, null]);
    }
  });
});
