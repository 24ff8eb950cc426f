import type { RandomBytes } from "../../../platform/ids.ts";
import type { Placed } from "./place-order.ts";

/** The storefront's last orders, for the page that shows what became of each. They contain nothing personal. */

export interface RecentOrder extends Placed {
  /** sessions of the quizzes that its cart named */
  sessionIds: string[];
}

const atMost = 500;

export class RecentOrders {
  readonly #orders = new Map<string, RecentOrder>();
  readonly #random: RandomBytes;

  constructor(random: RandomBytes) {
    this.#random = random;
  }

  /** Returns an unguessable name for it. */
  add(order: RecentOrder): string {
    const [oldest] = this.#orders.keys();
    if (oldest !== undefined && this.#orders.size >= atMost) this.#orders.delete(oldest);
    const name = Buffer.from(this.#random(16)).toString("hex");
    this.#orders.set(name, order);
    return name;
  }

  get(name: string): RecentOrder | null {
    return this.#orders.get(name) ?? null;
  }
}
