import { describe, expect, it } from "vitest";
import { ConnectionError, ProblemError } from "../../client/src/index.ts";
import { problemOf, sentenceOf } from "./problems.ts";

const refusal = (title: string, status: number, more: object = {}) => {
  const problem = { type: "t", title, status, detail: "the detail of it", request_id: "req_1", ...more };
  // titles of other APIs too, which the client's type does not list
  return new ProblemError("getThing", problem as never, new Response(null, { status }));
};

describe("a problem [dashboard.problems]", () => {
  it("is one sentence with the request's id", () => {
    expect(problemOf(refusal("insufficient_role", 403))).toMatchObject({
      sentence: "Your role in this store does not allow this.",
      requestId: "req_1",
      passing: false,
    });
    expect(problemOf(refusal("conflict", 409)).sentence).toBe("The detail of it.");
    expect(problemOf(refusal("internal_error", 500))).toMatchObject({ passing: true, requestId: "req_1" });
  });

  it("names the field where one was refused", () => {
    for (const [field, message, sentence] of [
      ["body.email", "must be an address", "Email must be an address."],
      ["body.shop_domain", "is required", "Shop domain is required."],
      ["query.from", "must be a day", "From must be a day."],
      ["body", "there is no such zone", "There is no such zone."],
    ] as const) {
      const errors = [{ field, message }];
      expect(problemOf(refusal("validation_error", 422, { errors }))).toMatchObject({ sentence, errors });
    }
  });

  it("is told apart from no answer at all", () => {
    expect(problemOf(new ConnectionError("getThing", false, null)).sentence).toBe("The server cannot be reached.");
    expect(problemOf(new ConnectionError("getThing", true, null))).toMatchObject({ requestId: null, passing: true });
    expect(problemOf(new TypeError("x is undefined")).sentence).not.toContain("undefined");
  });

  it("reads as a sentence", () => {
    expect(["the end", "Done.", " why? "].map(sentenceOf)).toEqual(["The end.", "Done.", "Why?"]);
  });
});
