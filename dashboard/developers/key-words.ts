import { allScopes, type Scope, scopes } from "../../contract/scopes.ts";

/** What keys may do and their state, in words. */

export const scopeChoices: readonly { scope: Scope; description: string }[] = allScopes.map((scope) => ({
  scope,
  description: scopes[scope],
}));

interface Dates {
  expires_at: string | null;
  revoked_at: string | null;
}

export type KeyState = "active" | "expires soon" | "expired" | "revoked";

const soonMs = 14 * 86_400_000;

export function keyState({ expires_at, revoked_at }: Dates, now: number): KeyState {
  if (revoked_at !== null) return "revoked";
  if (expires_at === null) return "active";
  const left = Date.parse(expires_at) - now;
  if (left <= 0) return "expired";
  return left <= soonMs ? "expires soon" : "active";
}

export const keyStateWords: Record<KeyState, { label: string; color: string }> = {
  active: { label: "Active", color: "green" },
  "expires soon": { label: "Expires soon", color: "yellow" },
  expired: { label: "Expired", color: "gray" },
  revoked: { label: "Revoked", color: "gray" },
};

export const isUsable = (state: KeyState): boolean => state === "active" || state === "expires soon";

export const expiryChoices = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "never", label: "Never" },
] as const;

/** When a key created now expires; null: never. */
export const expiryOf = (choice: string, now: number): string | null =>
  choice === "never" ? null : new Date(now + Number(choice) * 86_400_000).toISOString();

/** The parts of a key's text that are stored. */
export const keyText = ({ head, last_four }: { head: string; last_four: string }): string => `${head}…${last_four}`;

export const testKeyWords =
  "Opens a store for trials beside this one, with its own data and a clock that programs move forward. Nothing that is done with it reaches the shop, its people, figures or webhooks.";
