import { createRandom } from "../demo/random.ts";
import { fullQuiz } from "../journeys/documents.ts";
import type { RawAnswer } from "../testkit/raw-http.ts";
import { loggedFaults, openHardShop, publishQuiz, type ServedProgram, startProgram } from "./shops.ts";
import { chunks, contentLengths, smuggled } from "./socket-bodies.ts";
import { type SocketCase, type Target, Writer } from "./socket-cases.ts";
import { headerLines, oddRequests, pipelines } from "./socket-headers.ts";
import { leaving, otherProtocols, requestLines } from "./socket-lines.ts";
import { fin, type Talk, talk } from "./socket-talk.ts";
import { type HardRun, type HardSuite, sized } from "./suite.ts";

/** Number of concurrent conversations. */
const lanes = 12;

export const suite: HardSuite = {
  name: "sockets",
  what: "malformed and hostile bytes on raw sockets, each with what has to come back, and random bends of good requests",
  short: 0.02,
  run: runSockets,
};

/** What is wrong with an answer by itself, regardless of the request. */
function answerFault({ status, headers, text }: RawAnswer): string | null {
  if (status >= 500 && status !== 504) return `status ${status}`;
  const id = headers["request-id"] ?? "";
  if (!/^req_[0-9a-f]{32}$/.test(id)) return `request id ${JSON.stringify(id)}`;
  if (status < 400 || text === "") return null;
  const problem = JSON.parse(text) as Record<string, unknown>;
  if (headers["content-type"] !== "application/problem+json") return "a refusal that is no problem";
  if (problem["status"] !== status || problem["request_id"] !== id) return "a problem that does not fit its answer";
  if (!String(problem["type"]).endsWith(`/errors/${String(problem["title"])}`)) return "type and title disagree";
  return /node_modules|\\n\s+at |server\/platform|Error:/.test(text) ? "tells of its insides" : null;
}

const titleOf = ({ status, text }: RawAnswer): string =>
  status < 400 || text === "" ? "" : String((JSON.parse(text) as { title?: string }).title);

function caseFault(one: SocketCase, heard: Talk): string | null {
  if (heard.strange !== null) return `no HTTP: ${JSON.stringify(heard.strange)}`;
  for (const answer of heard.answers) {
    const fault = answerFault(answer);
    if (fault !== null) return fault;
  }
  const due = one.answers.map(([status, title]) => `${status} ${title}`.trim()).join(", ");
  // an answer to HEAD has no body, and so no title
  const came = heard.answers.map((answer) => `${answer.status} ${titleOf(answer)}`.trim()).join(", ");
  const headless = one.name.includes("HEAD") && came === due.replace(/ .*/, "");
  const left = one.hungUp && due.startsWith(came);
  if (came !== due && !headless && !left) return `answered ${came || "nothing"}, should be ${due || "nothing"}`;
  if (one.closes && !heard.closed) return "the connection stays open";
  return heard.ms > (one.slow ? 40_000 : 10_000) ? `took ${Math.round(heard.ms)} ms` : null;
}

const shown = (moves: SocketCase["moves"]): string =>
  moves
    .map((move) =>
      typeof move === "string" || Buffer.isBuffer(move)
        ? JSON.stringify(move.toString("latin1"))
        : JSON.stringify(move),
    )
    .join(" ")
    .slice(0, 600);

class Sockets {
  readonly #port: number;
  readonly #writer: Writer;
  readonly failures: string[] = [];
  conversations = 0;
  slowestMs = 0;

  constructor(port: number, writer: Writer) {
    this.#port = port;
    this.#writer = writer;
  }

  /** One case, then a valid request: nothing that a client sends may affect the next client. */
  async hold(one: SocketCase): Promise<void> {
    const patience = one.slow
      ? { firstMs: 40_000, quietMs: 120 }
      : { firstMs: 5_000, quietMs: one.closes ? 1_500 : 150 };
    const heard = await talk(this.#port, one.moves, patience);
    this.conversations += 1;
    const fault = caseFault(one, heard) ?? (await this.good());
    if (fault !== null) this.failures.push(`${one.name}: ${fault}\n    ${shown(one.moves)}`);
  }

  async good(): Promise<string | null> {
    const heard = await talk(this.#port, [this.#writer.get("Connection: close\r\n")]);
    this.slowestMs = Math.max(this.slowestMs, heard.ms);
    if (heard.answers[0]?.status !== 200)
      return `a good request is answered ${heard.answers[0]?.status ?? "not at all"} behind it`;
    return heard.ms > 5_000 ? `a good request takes ${Math.round(heard.ms)} ms behind it` : null;
  }

  /**
   * A valid request with bytes changed, removed, duplicated or moved: it is answered or closed, whatever it has become.
   */
  async bend(seed: number, step: number): Promise<void> {
    const random = createRandom(`${seed}/${step}`);
    const w = this.#writer;
    const good = random.pick([
      w.get(),
      w.sized("{}"),
      w.chunked("2\r\n{}\r\n0\r\n\r\n"),
      w.get() + w.sized("{}") + w.get(),
    ]);
    let bytes = Buffer.from(good, "latin1");
    for (let count = random.int(1, 4); count > 0; count -= 1) {
      const at = random.int(0, bytes.length - 1);
      const inserted = Buffer.from(
        random.pick([
          "\r\n",
          "\n",
          "\r",
          "\0",
          " ",
          ":",
          "\t",
          "GET ",
          "0",
          "\xff",
          ",",
          ";",
          "Transfer-Encoding: chunked\r\n",
        ]),
        "latin1",
      );
      const [cut, kept] = random.pick([
        [1, inserted],
        [0, inserted],
        [random.int(1, 9), Buffer.alloc(0)],
        [0, bytes.subarray(at, at + random.int(1, 40))],
        [1, Buffer.from([random.int(0, 255)])],
      ] as [number, Buffer][]);
      bytes = Buffer.concat([bytes.subarray(0, at), kept, bytes.subarray(at + cut)]);
    }
    const heard = await talk(this.#port, [bytes, fin], { firstMs: 5_000, quietMs: 2_000 });
    this.conversations += 1;
    const faults = heard.answers.map(answerFault).filter((fault) => fault !== null);
    if (heard.strange !== null) faults.push(`no HTTP: ${JSON.stringify(heard.strange)}`);
    if (!heard.closed) faults.push("the connection stays open behind its end");
    if (faults[0] !== undefined) this.failures.push(`bend ${step}: ${faults[0]}\n    ${shown([bytes])}`);
  }
}

async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function openTarget({ opened }: ServedProgram): Promise<Target> {
  const shop = await openHardShop(opened);
  const { quizId: quiz } = await publishQuiz(opened, shop, fullQuiz, "Full");
  return { key: shop.key, store: shop.publishableKey, quiz };
}

async function runSockets(run: HardRun): Promise<readonly string[]> {
  const served = await startProgram(run);
  const { program } = served;
  const writer = new Writer(await openTarget(served));
  const sockets = new Sockets(program.port, writer);
  const corpus = [requestLines, headerLines, contentLengths, chunks, smuggled, oddRequests, pipelines, leaving];
  const cases = [...corpus.flatMap((part) => part(writer)), ...otherProtocols()];
  // thirty seconds are too long for the short run
  const chosen = run.scale >= 0.2 ? cases : cases.filter((one) => !one.slow);
  await inLanes(
    [...chosen].sort((a, b) => Number(b.slow ?? false) - Number(a.slow ?? false)),
    (one) => sockets.hold(one),
  );
  const bends = sized(run, 10_000, 100);
  await inLanes(
    Array.from({ length: bends }, (_, step) => step),
    (step) => sockets.bend(run.seed, step),
  );
  const after = await sockets.good();
  run.say(
    `${chosen.length} cases and ${bends} random bends; slowest good request among them ${Math.round(sockets.slowestMs)} ms`,
  );
  return [...sockets.failures.slice(0, 40), ...(after === null ? [] : [after]), ...loggedFaults(program.stderr())];
}
