import { Counter } from "prom-client";
import type { Admission, BucketState, Charge, Limiter, Take, Taken } from "./types.ts";

type Decision = "allowed" | "limited" | "unavailable";
/** `api`: a key's and its store's buckets; `surcharge`: the rest of an analytics call; `storefront`: shoppers' addresses and their stores */
type Rule = "api" | "surcharge" | "storefront";

const decisions = new Counter({
  name: "quizstore_limiter_decisions_total",
  help: "Charges by rule, and whether they were allowed, limited, or could not be asked for",
  labelNames: ["rule", "decision"],
});

/** A limiter that counts what it decides. */
export function meteredLimiter(limiter: Limiter): Limiter {
  const count = <Answer>(
    rule: Rule,
    ask: () => Answer | Promise<Answer>,
    decisionOf: (answer: Answer) => Decision,
  ): Answer | Promise<Answer> => {
    const decided = (answer: Answer): Answer => {
      decisions.inc({ rule, decision: decisionOf(answer) });
      return answer;
    };
    const failed = (error: unknown): never => {
      decisions.inc({ rule, decision: "unavailable" });
      throw error;
    };
    try {
      const answer = ask();
      return answer instanceof Promise ? answer.then(decided, failed) : decided(answer);
    } catch (error) {
      return failed(error);
    }
  };
  const admitted = ({ admitted: yes }: Admission | Taken): Decision => (yes ? "allowed" : "limited");
  return {
    admit: (charge: Charge) => count<Admission>("api", () => limiter.admit(charge), admitted),
    book: (charge: Charge) =>
      count<BucketState>(
        "surcharge",
        () => limiter.book(charge),
        () => "allowed",
      ),
    take: (take: Take) => count<Taken>("storefront", () => limiter.take(take), admitted),
    close: () => limiter.close(),
  };
}
