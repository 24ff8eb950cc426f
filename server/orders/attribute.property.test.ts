import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Attribution,
  attribute,
  bucketOf,
  type CandidateSession,
  type Candidates,
  type OrderToAttribute,
  tiers,
  windowMs,
} from "./attribute.ts";

const at = Date.parse("2026-03-10T12:00:00.000Z");
const people = ["ann", "bob", "cat"];
const contacts = ["c1", "c2", "c3", "c4"];

const sessions: fc.Arbitrary<CandidateSession[]> = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom("s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"),
    visitorId: fc.constantFrom("v1", "v2", "v3"),
    profileId: fc.option(fc.constantFrom(...people)),
    startedAt: fc.option(
      fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: at - windowMs - 3_000, max: at + 3_000 }) },
        { weight: 1, arbitrary: fc.constantFrom(at, at + 999, at + 1_000, at - windowMs, at - windowMs - 1, at - 5) },
      ),
      { freq: 8 },
    ),
    preview: fc.boolean(),
  }),
  { selector: (session) => session.id, maxLength: 8 },
);

const values = { line_item: ["s1", "s2", "s3", "lost"], cart: ["s4", "s5", "s1"], visitor: ["v1", "v2"] };
const order: fc.Arbitrary<OrderToAttribute> = fc.record({
  createdAt: fc.constantFrom(at, at + 1, at - 40_000),
  keys: fc.uniqueArray(
    fc.oneof(
      ...(["line_item", "cart", "visitor"] as const).map((tier) =>
        fc.constantFrom(...values[tier]).map((value) => ({ tier, value })),
      ),
      ...(["email", "phone"] as const).map((tier) => fc.constantFrom(...contacts).map((value) => ({ tier, value }))),
    ),
    { selector: (key) => `${key.tier}:${key.value}`, maxLength: 6 },
  ),
});

const holders = fc.dictionary(
  fc.constantFrom(...["email", "phone"].flatMap((k) => contacts.map((c) => `${k}:${c}`))),
  fc.constantFrom(...people),
);

/** The rule as it is told: all pairs of a key and a session, the best one last. */
function naive(given: OrderToAttribute, all: CandidateSession[], held: Record<string, string>): Attribution {
  const matches = (tier: string, value: string, session: CandidateSession): boolean => {
    if (tier === "line_item" || tier === "cart") return session.id === value;
    if (tier === "visitor") return session.visitorId === value;
    return held[`${tier}:${value}`] !== undefined && session.profileId === held[`${tier}:${value}`];
  };
  const pairs = given.keys.flatMap(({ tier, value }) =>
    all
      .filter((session) => !session.preview && session.startedAt !== null && matches(tier, value, session))
      .map((session) => ({ tier, session, started: session.startedAt ?? 0 })),
  );
  const inWindow = pairs.filter(({ started }) => {
    const before = Math.trunc(started / 1000) <= Math.trunc(given.createdAt / 1000);
    return before && given.createdAt - started <= 90 * 86_400_000;
  });
  inWindow.sort(
    (a, b) =>
      tiers.indexOf(b.tier) - tiers.indexOf(a.tier) || a.started - b.started || (a.session.id < b.session.id ? -1 : 1),
  );
  const best = inWindow.at(-1);
  const byContact = ["email", "phone"]
    .flatMap((tier) => given.keys.filter((key) => key.tier === tier))
    .find((key) => held[`${key.tier}:${key.value}`] !== undefined);
  const person = byContact ? held[`${byContact.tier}:${byContact.value}`] : undefined;
  const own = best?.session.profileId ?? null;
  return {
    tier: best?.tier ?? byContact?.tier ?? null,
    sessionId: best?.session.id ?? null,
    profileId: own ?? person ?? null,
    profileTier: own !== null ? (best?.tier ?? null) : (byContact?.tier ?? null),
  };
}

const candidates = (all: readonly CandidateSession[], held: Record<string, string>): Candidates => ({
  sessions: all,
  holder: (tier, value) => held[`${tier}:${value}`],
});

describe("attribution", () => {
  it("gives an order the session and the person that the plain reading of the rule gives it [orders.tiers, orders.window, orders.holder]", () => {
    fc.assert(
      fc.property(order, sessions, holders, (given, all, held) => {
        expect(attribute(given, candidates(all, held))).toEqual(naive(given, all, held));
      }),
      { numRuns: 3_000 },
    );
  });

  it("does not depend on the order of the candidates, nor on others that could not win [orders.tiers]", () => {
    fc.assert(
      fc.property(order, sessions, holders, fc.gen(), (given, all, held, gen) => {
        const shuffled = gen(fc.shuffledSubarray, all, { minLength: all.length });
        const idle = all.map((session) => ({ ...session, id: `x${session.id}`, startedAt: at - windowMs - 50_000 }));
        expect(attribute(given, candidates([...idle, ...shuffled], held))).toEqual(
          attribute(given, candidates(all, held)),
        );
      }),
    );
  });
});

describe("the bucket of a line", () => {
  const session = { shown: new Set(["p1", "p2"]), added: new Set(["p2"]) };
  it("is added_from_quiz by property or cart, shown_bought_later, else bought_not_shown [orders.buckets]", () => {
    expect(bucketOf({ productId: "p9", fromQuiz: true }, session)).toBe("added_from_quiz");
    expect(bucketOf({ productId: "p2", fromQuiz: false }, session)).toBe("added_from_quiz");
    expect(bucketOf({ productId: "p1", fromQuiz: false }, session)).toBe("shown_bought_later");
    expect(bucketOf({ productId: "p9", fromQuiz: false }, session)).toBe("bought_not_shown");
    expect(bucketOf({ productId: null, fromQuiz: false }, session)).toBe("bought_not_shown");
  });
});
