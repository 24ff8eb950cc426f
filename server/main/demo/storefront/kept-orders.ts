import type { RandomBytes } from "../../../platform/ids.ts";
import type { Placed } from "./place-order.ts";

/** The last orders of the storefront, for the page that tells what became of each. Nothing personal is in them. */

export interface KeptOrder extends Placed {
  /** of the quizzes that its cart named */
  sessionIds: string[];
}

const atMost = 500;

export class KeptOrders {
  readonly #orders = new Map<string, KeptOrder>();
  readonly #random: RandomBytes;

  constructor(random: RandomBytes) {
    this.#random = random;
  }

  /** Answers a name for it that nobody guesses. */
  add(order: KeptOrder): string {
    const [oldest] = this.#orders.keys();
    if (oldest !== undefined && this.#orders.size >= atMost) this.#orders.delete(oldest);
    const name = Buffer.from(this.#random(16)).toString("hex");
    this.#orders.set(name, order);
    return name;
  }

  get(name: string): KeptOrder | null {
    return this.#orders.get(name) ?? null;
  }
}
