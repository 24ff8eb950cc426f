import { Tally } from "../metrics/tally.ts";
import type { Admission, BucketCharge, BucketOutcome, Charge, Limiter } from "./types.ts";

type Decision = "allowed" | "limited" | "unavailable";
/** `api`: a key's and its store's buckets; `surcharge`: the rest of an analytics call; `storefront`: shoppers' addresses and their stores */
type Rule = "api" | "surcharge" | "storefront";

const decisions = new Tally<"rule" | "decision">({
  name: "quizstore_limiter_decisions_total",
  help: "Charges by rule, and whether they were allowed, limited, or could not be asked for",
  labelNames: ["rule", "decision"],
});

type Counts = Record<Decision, () => void>;

const countsOf = (rule: Rule): Counts => ({
  allowed: decisions.of({ rule, decision: "allowed" }),
  limited: decisions.of({ rule, decision: "limited" }),
  unavailable: decisions.of({ rule, decision: "unavailable" }),
});

const [api, surcharge, storefront] = [countsOf("api"), countsOf("surcharge"), countsOf("storefront")];

/** Wraps a limiter and counts its decisions. */
export function meteredLimiter(limiter: Limiter): Limiter {
  const count = async <Answer>(counts: Counts, answer: Promise<Answer>, decisionOf: (answer: Answer) => Decision) => {
    let decision: Decision = "unavailable";
    try {
      const answered = await answer;
      decision = decisionOf(answered);
      return answered;
    } finally {
      counts[decision]();
    }
  };
  const admitted = ({ admitted: yes }: Admission | BucketOutcome): Decision => (yes ? "allowed" : "limited");
  return {
    admit: (charge: Charge) => count(api, limiter.admit(charge), admitted),
    book: (charge: Charge) => count(surcharge, limiter.book(charge), () => "allowed"),
    // refunds are not counted as decisions
    chargeBucket: (charge: BucketCharge) =>
      charge.cost < 0 ? limiter.chargeBucket(charge) : count(storefront, limiter.chargeBucket(charge), admitted),
    close: () => limiter.close(),
  };
}
