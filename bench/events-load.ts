import { connect, type Socket } from "node:net";

/**
 * Shoppers in a process of their own: each connection sends the next request when it has its answer, at full speed or at
 * a rate.
 */

export interface Target {
  store: string;
  quiz: string;
  version: string;
}

export interface LoadPlan {
  port: number;
  targets: Target[];
  connections: number;
  milliseconds: number;
  /** tells the sessions of one phase from those of another */
  phase: number;
  /** of all connections together; full speed without it */
  eventsPerSecond?: number;
}

export interface LoadResult {
  requests: number;
  events: number;
  failures: number;
  milliseconds: number;
  /** ms, of each answer */
  p50: number;
  p99: number;
  longest: number;
}

const answer = (page_key: string, component_key: string, more: object) => ({
  type: "answer_saved",
  page_key,
  component_key,
  ...more,
});
const enter = (page_key: string, cause: string) => ({ type: "page_entered", page_key, cause });
const shown = {
  type: "products_shown",
  page_key: "result",
  block_key: "picks",
  products: ["1", "2"].map((id, position) => ({
    product_id: `gid://shopify/Product/${id}`,
    position,
    source: "fixed",
  })),
};
const added = { type: "product_added", product_id: "gid://shopify/Product/1", quantity: 1 };

/** A session of twenty events in four requests; three in ten leave an email. */
function requestsOf(number: number): object[][] {
  const contact =
    number % 10 < 3
      ? answer("contact", "mail", { value: `shopper${number}@example.com`, consent: true })
      : answer("contact", "remark", { value: "Nothing else" });
  return [
    [
      { type: "quiz_opened" },
      enter("skin", "start"),
      answer("skin", "skin_type", { option_ids: ["skin_type_1"] }),
      enter("age", "next"),
      answer("age", "years", { value: 20 + (number % 50) }),
    ],
    [
      enter("contact", "next"),
      answer("contact", "remark", { value: "I have very dry skin in winter" }),
      enter("age", "back"),
      answer("age", "years", { value: 21 + (number % 50) }),
      enter("contact", "next"),
    ],
    [contact, enter("result", "next"), shown, added, { type: "quiz_finished", page_key: "result" }],
    [shown, added, enter("contact", "back"), enter("result", "next"), { type: "quiz_closed" }],
  ];
}

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, "0");

function bodyOf({ store, quiz, version }: Target, phase: number, number: number, part: number): string {
  const now = Date.now();
  const key = `${hex(phase, 8)}${hex(number, 24)}`;
  const events = (requestsOf(number)[part] ?? []).map((event, index) => {
    const seq = part * 5 + index;
    const id = `evt_${hex(phase, 8)}-0000-4000-8000-${hex(number * 32 + seq, 12)}`;
    return { id, seq, at: new Date(now - 1_000 + index).toISOString(), ...event };
  });
  const session = {
    id: `sess_${key}`,
    visitor_id: `vis_${key}`,
    quiz_id: quiz,
    version_id: version,
    channel: "online_store",
    placement: "popup",
    page_url: "https://shop.example.com/pages/quiz?utm_source=mail",
    referrer: "https://search.example.com/",
    utm: { source: "mail", medium: "email", campaign: "spring" },
  };
  return JSON.stringify({ store, sent_at: new Date(now).toISOString(), session, events });
}

const agents = [
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36",
];

class Shopper {
  readonly #plan: LoadPlan;
  readonly #next: () => number;
  readonly #socket: Socket;
  readonly latencies: number[] = [];
  failures = 0;
  #number = 0;
  #part = 4;
  #sentAt = 0;
  #received = "";
  #until: number;
  #turn = performance.now();
  readonly done: Promise<void>;
  #finish: () => void = () => undefined;

  constructor(plan: LoadPlan, next: () => number, until: number) {
    this.#plan = plan;
    this.#next = next;
    this.#until = until;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#socket = connect(plan.port, "127.0.0.1", () => this.#send());
    this.#socket.setNoDelay(true);
    this.#socket.on("data", (data) => this.#receive(data));
    this.#socket.on("error", () => this.#finish());
  }

  #send(): void {
    if (performance.now() >= this.#until) {
      this.#socket.destroy();
      this.#finish();
      return;
    }
    if (this.#part === 4) {
      this.#part = 0;
      this.#number = this.#next();
    }
    const target = this.#plan.targets[this.#number % this.#plan.targets.length];
    if (target === undefined) return;
    const body = bodyOf(target, this.#plan.phase, this.#number, this.#part);
    this.#part += 1;
    this.#sentAt = performance.now();
    const agent = agents[this.#number % agents.length];
    this.#socket.write(
      `POST /storefront/v1/events HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${agent}\r\n` +
        `Content-Type: text/plain;charset=UTF-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }

  #receive(data: Buffer): void {
    this.#received += data.toString("latin1");
    const head = this.#received.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1] ?? Number.NaN);
    if (head < 0 || !(this.#received.length >= head + 4 + length)) return;
    this.latencies.push(performance.now() - this.#sentAt);
    if (!this.#received.includes('"accepted":5')) this.failures += 1;
    this.#received = "";
    this.#pause();
  }

  /** Requests keep their turns: one that was answered late is followed at once. */
  #pause(): void {
    const { eventsPerSecond, connections } = this.#plan;
    if (eventsPerSecond === undefined) this.#send();
    else {
      this.#turn += (connections * 5 * 1_000) / eventsPerSecond;
      setTimeout(() => this.#send(), Math.max(0, this.#turn - performance.now()));
    }
  }
}

async function run(plan: LoadPlan): Promise<LoadResult> {
  const begun = performance.now();
  let sessions = 0;
  const next = () => sessions++;
  const shoppers = Array.from({ length: plan.connections }, () => new Shopper(plan, next, begun + plan.milliseconds));
  await Promise.all(shoppers.map((shopper) => shopper.done));
  const latencies = shoppers.flatMap((shopper) => shopper.latencies).sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  const failures = shoppers.reduce((sum, shopper) => sum + shopper.failures, 0);
  const requests = latencies.length;
  const milliseconds = performance.now() - begun;
  return {
    requests,
    events: (requests - failures) * 5,
    failures,
    milliseconds,
    p50: at(0.5),
    p99: at(0.99),
    longest: at(1),
  };
}

process.once("message", (plan: LoadPlan) => {
  void run(plan).then((result) => process.send?.(result, () => process.disconnect()));
});
