import { expect, it } from "vitest";
import { limitsOf, typedLimits } from "./limit-fields.ts";

it("a store's own limits are the typed ones, and those that have no field", () => {
  const before = { webhook_endpoints: 9, overages_enabled: true, bot_multiplier: 4 };
  const typed = typedLimits(before);
  expect(typed).toMatchObject({ webhook_endpoints: 9, credits_limit: null });
  expect(limitsOf(typed, before)).toEqual(before);
  expect(limitsOf({ ...typed, webhook_endpoints: null, credits_limit: 0 }, before)).toEqual({
    overages_enabled: true,
    bot_multiplier: 4,
    credits_limit: 0,
  });
});
