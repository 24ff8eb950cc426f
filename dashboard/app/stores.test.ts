import { describe, expect, it } from "vitest";
import type { StoreOfMe } from "./account-types.ts";
import { chooseStore, idIn, readReturn } from "./stores.ts";

const store = (id: string): StoreOfMe => ({
  id,
  name: id,
  role: "owner",
  currency: "USD",
  timezone: "UTC",
  plan: "plus",
});
const stores = [store("store_a"), store("store_b")];
const chosen = (asked: string | null, last: string | null) => {
  const { store: found, isMissing } = chooseStore(stores, asked, last);
  return [found?.id, isMissing];
};

describe("the store that is looked at [dashboard.store]", () => {
  it("is the address's, else the last one, else the first", () => {
    expect(chosen("store_b", "store_a")).toEqual(["store_b", false]);
    expect(chosen(null, "store_b")).toEqual(["store_b", false]);
    expect(chosen(null, null)).toEqual(["store_a", false]);
    expect(chosen(null, "store_gone")).toEqual(["store_a", false]);
  });

  it("is missing where the address names one that the person has not", () => {
    expect(chosen("store_c", "store_b")).toEqual(["store_b", true]);
    expect(chooseStore([], null, null)).toEqual({ store: null, isMissing: false });
  });

  it("takes along to another store what both have, and not one thing of the first", () => {
    const id = "0".repeat(32);
    const paths = ["/", "/quizzes", "/settings/people", `/quizzes/quiz_${id}`, `/quizzes/quiz_${id}/edit`];
    expect(paths.map(idIn)).toEqual([null, null, null, `quiz_${id}`, `quiz_${id}`]);
  });
});

describe("where somebody goes on after signing in [dashboard.return]", () => {
  it.each(["/dashboard", "/dashboard/quizzes?store=store_a", "/dashboard?tab=a"])("is %s as it was", (address) =>
    expect(readReturn(address)).toBe(address),
  );

  it.each([
    null,
    "",
    "https://a.example/dashboard",
    "//a.example/dashboard",
    "/dashboards",
    "/dashboard.example",
    "/dashboard/\\a.example",
    "/q/pub/quiz",
    "javascript:alert(1)",
  ])("is the first screen for %s", (address) => expect(readReturn(address)).toBe("/dashboard"));
});
