import { expect, it } from "vitest";
import { together } from "./together.ts";

it("answers in order, and with the first failure once all are answered [operations.transactions]", async () => {
  const answers = await together([Promise.resolve(1), Promise.resolve("two")]);
  expect(answers).toEqual([1, "two"]);
  const late = Promise.withResolvers<number>();
  const failing = together([late.promise, Promise.reject(new Error("first to fail")), Promise.resolve(3)]);
  let isOver = false;
  const seen = failing.catch((error: Error) => {
    isOver = true;
    return error.message;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  late.reject(new Error("of the first in order"));
  expect(await seen).toBe("of the first in order");
});
