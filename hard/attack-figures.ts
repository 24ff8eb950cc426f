import { setTimeout as pause } from "node:timers/promises";
import { order, product } from "../journeys/shopify.ts";
import { exportBodies } from "./attack-questions.ts";
import { type Attack, type Finding, inMs, must, patience, type Scene } from "./attack-script.ts";
import { eventsRequest, type Reply, type Request, signedRequest, tallyLine, visitTo } from "./attack-send.ts";

/** Values that are valid individually, but may break a figure. After each attack, all questions must be answered. */

const read = ({ ground, sender }: Scene, path: string): Promise<Reply> =>
  sender.send({ method: "GET", path, headers: { authorization: `Bearer ${ground.victim.key}` } });

/** Types numbers into a question without bounds; returns the answer to a request for its figures afterwards. */
async function typeNumbers(scene: Scene, component: string, values: readonly string[]): Promise<Reply> {
  const { ground, sender } = scene;
  const { numbers } = ground.victim.quizzes;
  for (const value of values) {
    const visit = visitTo(ground, numbers);
    const request = eventsRequest(visit, [visit.entered("first", "start"), visit.wrote("first", component, "NUMBER")]);
    await sender.send({ ...request, body: String(request.body).replace('"NUMBER"', value) });
  }
  return read(scene, `/v1/quizzes/${numbers.quiz_id}/analytics/answers?component_key=${component}`);
}

/** Buckets of a question's figures that can contain no number: with an end that is not finite, or with equal ends. */
export function oddBuckets(text: string): string[] {
  const { buckets } = JSON.parse(text) as { buckets: { low: unknown; high: unknown }[] };
  const odd = buckets.filter(({ low, high }) => !(Number.isFinite(low) && Number.isFinite(high) && low !== high));
  return odd.map((bucket) => JSON.stringify(bucket).slice(0, 100));
}

async function numbersFinding(scene: Scene, component: string, values: readonly string[]): Promise<Finding> {
  const reply = await typeNumbers(scene, component, values);
  const odd = reply.status === 200 ? oddBuckets(reply.text) : [];
  return {
    measured: `${tallyLine(scene.sender.take())}; the question's figures took ${inMs(reply.ms)}, ${reply.status}`,
    faults: [
      ...must(
        reply.status === 200,
        `${values.join(", ")}: the question's figures took ${inMs(reply.ms)}, ${reply.status}`,
      ),
      ...must(reply.ms < patience(scene, 5_000), `the question's figures took ${inMs(reply.ms)}`),
      ...must(odd.length === 0, `${values.join(", ")}: odd buckets ${odd.join(" ")}`),
    ],
  };
}

const tinyNumbers: Attack = {
  name: "tiny-numbers",
  what: "the answers 0 and 5e-324 to a number question",
  seconds: 60,
  async run(scene) {
    const found = await numbersFinding(scene, "free", ["0", "5e-324"]);
    const fine = await numbersFinding(scene, "fine", ["5e-324", "-5e-324", "1e-300", "-0", "1e-9"]);
    return { measured: found.measured, faults: [...found.faults, ...fine.faults] };
  },
};

const greatNumbers: Attack = {
  name: "great-numbers",
  what: "the answers 1e300 and 1e16 to a number question without bounds",
  seconds: 150,
  async run(scene) {
    const fine = await numbersFinding(scene, "fine", ["1e16"]);
    const found = await numbersFinding(scene, "free", ["1e300"]);
    const wide = await numbersFinding(scene, "free", ["1e308", "-1e308", "1e12", "2"]);
    const measured = [fine, found, wide].map((each) => each.measured).join("; then ");
    return { measured, faults: [...fine.faults, ...found.faults, ...wide.faults] };
  },
};

const enormousOrder: Attack = {
  name: "enormous-order",
  what: "one signed order of 922,337,203,685,478",
  seconds: 200,
  async run(scene) {
    const { ground, sender } = scene;
    const { victim } = ground;
    const visit = visitTo(ground, victim.quizzes.short);
    await sender.send(
      eventsRequest(visit, [
        visit.entered("first", "start"),
        visit.chose("first", "pick", "one"),
        visit.wrote("contact", "mail", "rich@example.com"),
        visit.finished("result"),
      ]),
    );
    const attributes = [{ name: "_quiz_session", value: visit.session.id }];
    const at = Date.now() + 1_000;
    const totals = ["922337203685478.00", "922337203685477580700.00", "99999999999999999999.99", "-922337203685478.00"];
    const orders = totals.map((total, number) => {
      const lines = [{ product: 101, price: total, quantity: 1_000_000, properties: attributes }];
      return order({ id: 900 + number, at, total, attributes, email: "rich@example.com", lines });
    });
    const many = order({
      ...{ id: 990, at, total: "1.00", attributes, email: "rich@example.com" },
      lines: Array.from({ length: 30 }, () => ({ product: 101, price: "99999999999999.99", quantity: 2_147_483_647 })),
    });
    for (const payload of [...orders, many]) await sender.send(signedRequest(victim, "orders/create", payload));
    const priced = product({ id: 101, title: "Cream", variants: [{ id: 1, title: "S", price: "922337203685478.00" }] });
    await sender.send(signedRequest(victim, "products/create", priced));
    const line = tallyLine(sender.take());
    const asked = ["summary", "overview", "products", "quizzes"].map((name) => `/v1/analytics/${name}`);
    const paths = [
      ...asked,
      "/v1/profiles?has_order=true",
      `/v1/quizzes/${victim.quizzes.short.quiz_id}/analytics/funnel`,
    ];
    const faults: string[] = [];
    for (const path of paths) {
      const reply = await read(scene, path);
      faults.push(...must(reply.status === 200, `${path}: ${reply.status}`));
    }
    return { measured: `${line}; ${paths.length - faults.length} of ${paths.length} questions answered`, faults };
  },
};

const deepSearch: Attack = {
  name: "deep-search",
  what: "a legal search of 990 conditions of one kind (with a key)",
  seconds: 200,
  async run({ ground, sender }) {
    const { victim } = ground;
    const { quiz_id } = victim.quizzes.full;
    const visit = visitTo(ground, victim.quizzes.full);
    const wrote = [visit.wrote("about_page", "story", "some words"), visit.wrote("about_page", "age", 40)];
    await sender.send(
      eventsRequest(visit, [
        visit.chose("skin_page", "skin", "dry"),
        ...wrote,
        visit.wrote("contact", "mail", "a@b.example"),
      ]),
    );
    const about = { quiz_id, page_key: "about_page" };
    const skin = { quiz_id, page_key: "skin_page", component_key: "skin", kind: "choice" };
    const kinds: ((number: number) => object)[] = [
      (number) => ({ ...about, kind: "text", op: "contains", component_key: "story", value: `word ${number}` }),
      (number) => ({ ...about, kind: "text", op: "matches", component_key: "story", value: `some words ${number}` }),
      (number) => ({ ...about, kind: "number", op: "gt", component_key: "age", value: number }),
      (number) => ({ ...about, kind: "formula", op: "gt", component_key: "dose", value: number }),
      (number) => ({ ...about, kind: "date", op: "after", component_key: "birth", value: day(number) }),
      (number) => ({ quiz_id, kind: "points", op: "gt", dimension_id: "calm", value: number }),
      (number) => ({ quiz_id, kind: "winner", op: "in", option_ids: [`calm${number}`, "glow"] }),
      (number) => ({ ...skin, op: "in", option_ids: [`dry${number}`] }),
      (number) => ({ ...skin, op: "not_in", option_labels: [`Label ${number}`] }),
      (number) => ({ quiz_id, kind: "email", op: number % 2 ? "answered" : "not_answered", component_key: "mail" }),
      (number) => ({ quiz_id, kind: "session", op: "equals", value: number % 2 ? "abandoned" : "completed" }),
    ];
    const statuses: string[] = [];
    const faults: string[] = [];
    for (const kind of kinds) {
      let made = 0;
      const slot = () => ({ any: Array.from({ length: 33 }, () => kind(made++)) });
      const groups = Array.from({ length: 4 }, () => ({ all: Array.from({ length: 8 }, slot) }));
      const request: Request = {
        ...{ method: "POST", path: "/v1/profiles/search", body: JSON.stringify({ groups }) },
        headers: { authorization: `Bearer ${victim.key}` },
      };
      const reply = await sender.send(request);
      statuses.push(`${reply.status} in ${inMs(reply.ms)}`);
      const named = reply.status === 200 || reply.status === 422;
      faults.push(...must(named, `a search of ${made} conditions: ${reply.status} ${reply.text.slice(0, 200)}`));
    }
    return { measured: statuses.join(", "), faults };
  },
};

const day = (number: number): string => new Date(number * 86_400_000).toISOString().slice(0, 10);

/** Texts that a spreadsheet might execute, typed as an answer. */
const formulas = [
  ...["=1+1", ";=1+1", "a;=1+1", "\t=1+1", "a\t=1+1", "a\n=1+1", "a\r=1+1", "a,=1+1", "＝1+1", "a;＝1+1", "@SUM(1)"],
  ...["-1+1", "+1+1", '";=1+1', 'a";=1+1', "＋1+1", "－1+1", "＠SUM(1)", " =1+1", "a\u2028=1+1", "a\v=1+1"],
];

/** Cells as read by a spreadsheet that splits at `delimiter`: quotes only have a meaning at the beginning of a cell. */
export function cellsOf(text: string, delimiter: string): string[] {
  const cells: string[] = [];
  let cell = "";
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (character === '"' && cell === "") quoted = true;
    else if (character === delimiter || character === "\n" || character === "\r") {
      cells.push(cell);
      cell = "";
    } else cell += character;
  }
  return [...cells, cell];
}

/** Numbers, and phones: digits and blanks after one sign, possibly several in a list. */
const plain = /^[-+][\d., ]+(; \+[\d ]+)*$/;

/** Cells that a spreadsheet would execute. */
export function runningCells(text: string): string[] {
  const cells = [",", ";", "\t"].flatMap((delimiter) => cellsOf(text, delimiter));
  return cells.filter((cell) => /^[=@＝＠]/.test(cell) || (/^[-+＋－]/.test(cell) && !plain.test(cell)));
}

async function downloaded({ ground }: Scene, body: object): Promise<string> {
  const made = await ground.api.post<{ id: string }>("/v1/exports", body);
  for (let tries = 0; tries < 120; tries += 1) {
    const { body: read } = await ground.api.get<{ status: string; download_url?: string }>(
      `/v1/exports/${made.body.id}`,
    );
    if (read.status === "completed" && read.download_url) {
      const url = new URL(read.download_url);
      return (await fetch(ground.url + url.pathname + url.search)).text();
    }
    await pause(500);
  }
  throw new Error(`the export ${JSON.stringify(body)} was not built`);
}

const csvCells: Attack = {
  name: "csv-cells",
  what: "answers that a German or French spreadsheet would run",
  seconds: 200,
  async run(scene) {
    const { ground, sender } = scene;
    const { numbers } = ground.victim.quizzes;
    for (const text of formulas) {
      const visit = visitTo(ground, numbers, { channel: "embed", utm: { source: text, campaign: text } });
      const mail = `${text.replaceAll(/[\s,;"]/g, "")}@example.com`;
      const events = [
        visit.wrote("first", "story", text),
        visit.wrote("first", "mail", mail),
        visit.finished("result"),
      ];
      await sender.send(eventsRequest(visit, [visit.entered("first", "start"), ...events]));
    }
    const line = tallyLine(sender.take());
    const running: string[] = [];
    for (const body of exportBodies.filter(({ format }) => format === "csv")) {
      running.push(...runningCells(await downloaded(scene, body)));
    }
    const shown = running.slice(0, 5).map((cell) => JSON.stringify(cell.slice(0, 40)));
    return {
      measured: `${line}; ${running.length} cells would run`,
      faults: must(running.length === 0, `${running.length} cells would run, such as ${shown.join(" ")}`),
    };
  },
};

export const figureAttacks: readonly Attack[] = [tinyNumbers, greatNumbers, enormousOrder, deepSearch, csvCells];
