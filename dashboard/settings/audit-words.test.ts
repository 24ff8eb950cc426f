import { expect, it } from "vitest";
import { auditedActions } from "../../server/dashboard/audited.ts";
import { auditActions, sayAction, sayDetails } from "./audit-words.ts";

it("has words for every change that is written down by its operation, so that it can be chosen [accounts.audit]", () => {
  const known = auditActions.map(({ value }) => value);
  expect(Object.values(auditedActions).filter((action) => !known.includes(action))).toEqual([]);
});

it("says what was done in words, and what it does not know as it is called", () => {
  expect(sayAction("key.created")).toBe("Made the key");
  expect(sayAction("thing.half_done")).toBe("Thing half done");
});

it("says details by name and value, whatever they are", () => {
  expect(
    sayDetails({ by: "link", scopes: ["a", "b"], expires_at: null, quizzes: [], sees_contacts: false, more: { x: 1 } }),
  ).toBe('by: link; scopes: a, b; expires at: none; quizzes: none; sees contacts: no; more: {"x":1}');
});
