import { useState } from "preact/hooks";
import type { Stage } from "./stage.ts";
import type { CartLine } from "./types.ts";

type Adding = { step: "idle" | "adding" | "added" } | { step: "failed"; why: string };

/** How long a button says that something was added, before it offers to add another. */
const saysAdded = 3000;

/** Puts lines into the shop's cart and says how that goes, on the button, in the card and to readers. */
export function useCart(stage: Stage) {
  const [adding, setAdding] = useState<Adding>({ step: "idle" });
  const { texts, options, run } = stage;
  const add = async (lines: readonly CartLine[]): Promise<void> => {
    if (adding.step === "adding") return;
    setAdding({ step: "adding" });
    const why = await options.addToCart(lines).catch(() => texts.cart_failed);
    if (why === null) {
      for (const { product_id, variant_id, quantity } of lines) run.addProduct(product_id, variant_id, quantity);
      setAdding({ step: "added" });
      setTimeout(() => setAdding((now) => (now.step === "added" ? { step: "idle" } : now)), saysAdded);
    } else setAdding({ step: "failed", why });
    stage.say(why ?? texts.added);
  };
  const words: Record<Adding["step"], string | null> = {
    idle: null,
    adding: texts.adding,
    added: texts.added,
    failed: null,
  };
  return {
    add,
    isBusy: adding.step === "adding",
    failure: adding.step === "failed" ? adding.why : null,
    label: (idle: string): string => words[adding.step] ?? idle,
  };
}
