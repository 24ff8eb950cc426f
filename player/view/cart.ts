import type { Adding, Stage } from "./stage.ts";
import type { CartLine } from "./types.ts";

/** Ms for which a button confirms an addition, before it offers to add again. */
const saysAdded = 3000;

/**
 * Adds lines to the shop's cart and shows the state on the button, in the card and to screen readers
 * [player.product-added, player.add-to-cart].
 * @param id the card's id
 */
export function cartOf(stage: Stage, id: string) {
  const { texts, options, run, here } = stage;
  const adding = here.carts.get(id);
  const set = (now: Adding): void => {
    here.carts.set(id, now);
    stage.drawAgain();
  };
  const add = async (lines: readonly CartLine[]): Promise<void> => {
    if (here.carts.get(id)?.step === "adding") return;
    set({ step: "adding" });
    const why = await options.addToCart(lines).catch(() => texts.cart_failed);
    if (why === null) {
      for (const { product_id, variant_id, quantity } of lines) run.addProduct(product_id, variant_id, quantity);
      set({ step: "added" });
      setTimeout(() => {
        if (here.carts.get(id)?.step === "added") here.carts.delete(id);
        stage.drawAgain();
      }, saysAdded);
    } else set({ step: "failed", why });
    stage.say(why ?? texts.added);
  };
  const isBusy = adding?.step === "adding";
  return {
    add,
    isBusy,
    failure: adding?.step === "failed" ? adding.why : null,
    label: (idle: string): string => (isBusy ? texts.adding : adding?.step === "added" ? texts.added : idle),
  };
}
