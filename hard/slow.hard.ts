import { readdir, readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Pool } from "undici";
import { type Program, until } from "../journeys/program.ts";
import { clientOf, fillWithDemo, loggedFaults, openHardShop, type ServedProgram, startProgram } from "./shops.ts";
import { type HardRun, type HardSuite, sized } from "./suite.ts";

/**
 * Hundreds of slow clients: while they are connected, ordinary requests are answered as usual; when they are gone,
 * nothing of them is left. Uses the real program in one process.
 */

export const suite: HardSuite = {
  name: "slow",
  what: "slow senders, slow readers, idle connections and huge headers, while ordinary requests stay fast",
  short: 0.05,
  run: runSlow,
};

interface Scene {
  program: Program;
  key: string;
  /** key of another store, with its plan's limits */
  limited: string;
  /** path of a download that is larger than any buffer */
  download: string;
}

interface Phase {
  name: string;
  /** number of connections at scale 1 */
  clients: number;
  seconds: number;
  join: (scene: Scene) => Promise<Socket>;
  /** what each client does about ten times a second; null: nothing */
  tick: ((socket: Socket, count: number) => void) | null;
  /** expected by the end of the phase: no connection closed, every one answered with a time-out, or no expectation */
  due: "nothing" | "timeout" | "anything";
}

const head = (scene: Scene, line: string, extra = ""): string =>
  `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${scene.key}\r\n${extra}`;

function open({ program }: Scene, first: string, reads = true): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(program.port, "127.0.0.1", () => {
      socket.removeListener("error", reject).on("error", () => undefined);
      if (reads) socket.resume();
      socket.write(first, () => resolve(socket));
    });
    socket.once("error", reject);
  });
}

const phases: readonly Phase[] = [
  {
    ...{ name: "headers a byte at a time", clients: 1_000, seconds: 35, due: "timeout" },
    join: (scene) => open(scene, head(scene, "GET /v1/store", "A: ")),
    tick: (socket, count) => void (count % 10 === 0 && socket.writable && socket.write("b")),
  },
  {
    ...{ name: "bodies a byte at a time", clients: 1_000, seconds: 35, due: "timeout" },
    join: (scene) =>
      open(
        scene,
        head(scene, "POST /v1/profiles/search", "Content-Type: application/json\r\nContent-Length: 999\r\n\r\n{"),
      ),
    tick: (socket, count) => void (count % 10 === 0 && socket.writable && socket.write(" ")),
  },
  {
    ...{ name: "connections that say nothing", clients: 2_000, seconds: 10, due: "nothing" },
    join: (scene) => open(scene, ""),
    tick: null,
  },
  {
    ...{ name: "idle connections after an answer", clients: 2_000, seconds: 10, due: "nothing" },
    join: (scene) => open(scene, `${head(scene, "GET /v1/store")}\r\n`),
    tick: null,
  },
  {
    ...{
      name: "readers that read nothing of a page asked for again and again",
      clients: 100,
      seconds: 10,
      due: "anything",
    },
    join: (scene) => open(scene, "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(200), false),
    tick: null,
  },
  {
    ...{ name: "readers that read nothing of many lists of people", clients: 100, seconds: 10, due: "anything" },
    join: (scene) =>
      open(scene, `${head({ ...scene, key: scene.limited }, "GET /v1/profiles?limit=100")}\r\n`.repeat(200), false),
    tick: null,
  },
  {
    ...{ name: "downloads a little at a time", clients: 100, seconds: 10, due: "anything" },
    join: (scene) => open(scene, `GET ${scene.download} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(5), false),
    tick: (socket) => void socket.read(1_024),
  },
  {
    ...{ name: "huge headers", clients: 300, seconds: 5, due: "anything" },
    join: (scene) => open(scene, head(scene, "GET /v1/store", `A: ${"a".repeat(15_000)}`)),
    tick: (socket) => void (socket.writable && socket.write("a".repeat(5_000))),
  },
];

interface Speeds {
  requests: number;
  p50: number;
  p99: number;
  refused: number;
}

/** Fifty ordinary requests a second on a few connections, for this long. */
async function ordinary({ program, key }: Scene, seconds: number): Promise<Speeds> {
  const pool = new Pool(program.url, { connections: 4, pipelining: 1 });
  const headers = { authorization: `Bearer ${key}` };
  const times: number[] = [];
  const under: Promise<void>[] = [];
  let refused = 0;
  const one = async (path: string) => {
    const from = performance.now();
    const answer = await pool.request({ path, method: "GET", headers });
    await answer.body.dump();
    times.push(performance.now() - from);
    if (answer.statusCode !== 200) refused += 1;
  };
  const end = performance.now() + seconds * 1_000;
  for (let count = 0; performance.now() < end; count += 1) {
    const path = ["/v1/store", "/v1/quizzes", "/v1/webhooks"][count % 3] ?? "/v1/store";
    under.push(
      one(path).catch(() => {
        refused += 1;
      }),
    );
    await pause(20);
  }
  await Promise.all(under);
  await pool.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { requests: times.length, p50: at(0.5), p99: at(0.99), refused };
}

async function megabytes({ program }: Scene): Promise<number> {
  const status = await readFile(`/proc/${program.pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
}

const openFiles = async ({ program }: Scene): Promise<number> =>
  (await readdir(`/proc/${program.pid}/fd`).catch(() => [])).length;

/** Above this, ordinary requests suffer from the others; generous, for busy machines. */
const worstP99 = (calm: Speeds): number => 2_000 + 10 * calm.p99;

async function runPhase(scene: Scene, phase: Phase, run: HardRun, calm: Speeds): Promise<string[]> {
  const clients = sized(run, phase.clients, 5);
  // no time-out is reached in a short run
  const seconds = run.scale >= 0.5 ? phase.seconds : 2;
  const filesBefore = await openFiles(scene);
  const sockets: Socket[] = [];
  const answers = new Map<Socket, string>();
  try {
    for (let count = 0; count < clients; count += 1) {
      const socket = await phase.join(scene);
      answers.set(socket, "");
      if (phase.due !== "anything")
        socket.on("data", (bytes) => answers.set(socket, (answers.get(socket) ?? "") + bytes));
      sockets.push(socket);
    }
    let count = 0;
    const timer = setInterval(() => {
      count += 1;
      for (const socket of sockets) phase.tick?.(socket, count);
    }, 100);
    const speeds = await ordinary(scene, seconds);
    clearInterval(timer);
    const memory = await megabytes(scene);
    run.say(
      `${clients} ${phase.name}: ${speeds.requests} ordinary requests, p50 ${speeds.p50.toFixed(1)} ms, p99 ${speeds.p99.toFixed(1)} ms; ${memory} MB`,
    );
    const faults: string[] = [];
    if (speeds.refused > 0) faults.push(`${speeds.refused} ordinary requests failed`);
    if (speeds.p99 > worstP99(calm))
      faults.push(`p99 ${Math.round(speeds.p99)} ms, ${Math.round(calm.p99)} ms without them`);
    if (memory > 1_500) faults.push(`${memory} MB of memory`);
    const cut = sockets.filter((socket) => socket.closed || socket.destroyed).length;
    if (phase.due === "nothing" && cut > 0) faults.push(`${cut} connections were closed`);
    if (phase.due === "timeout" && seconds === phase.seconds) faults.push(...timeoutFaults(sockets, answers));
    return faults
      .map((fault) => `${clients} ${phase.name}: ${fault}`)
      .concat(await leftBehind(scene, sockets, filesBefore, phase));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** After 30 s each must have been answered with a time-out, and its connection closed [api.request-time]. */
function timeoutFaults(sockets: readonly Socket[], answers: ReadonlyMap<Socket, string>): string[] {
  const untold = sockets.filter((socket) => !answers.get(socket)?.startsWith("HTTP/1.1 504 "));
  const connected = sockets.filter((socket) => !socket.closed && !socket.destroyed);
  return [
    ...(untold.length > 0
      ? [`${untold.length} were not answered 504, such as ${JSON.stringify(answers.get(untold[0] as Socket))}`]
      : []),
    ...(connected.length > 0 ? [`${connected.length} are still connected after 30 s`] : []),
  ];
}

async function leftBehind(
  scene: Scene,
  sockets: readonly Socket[],
  before: number,
  { name }: Phase,
): Promise<string[]> {
  for (const socket of sockets) socket.destroy();
  const left = await until(
    () => openFiles(scene),
    (files) => files <= before + 30,
    10,
  );
  return left > before + 30 ? [`${name}: ${left} open files are left of ${before}`] : [];
}

async function openScene({ program, opened }: ServedProgram, run: HardRun): Promise<Scene> {
  const shop = await openHardShop(opened);
  await fillWithDemo(opened, shop, sized(run, 3_000, 150));
  const other = await openHardShop(opened, { limits: null });
  await fillWithDemo(opened, other, sized(run, 1_000, 150));
  const api = clientOf(shop, program.url);
  const made = await api.post<{ id: string }>("/v1/exports", { dataset: "responses", format: "json" });
  const read = () => api.get<{ status: string; download_url?: string }>(`/v1/exports/${made.body.id}`);
  const built = await until(read, ({ body }) => body.status === "completed", 60);
  const url = new URL(built.body.download_url ?? "");
  return { program, key: shop.key, limited: other.key, download: url.pathname + url.search };
}

async function runSlow(run: HardRun): Promise<readonly string[]> {
  const served = await startProgram(run);
  const scene = await openScene(served, run);
  await ordinary(scene, 1);
  const calm = await ordinary(scene, run.scale >= 0.5 ? 5 : 2);
  run.say(
    `alone: ${calm.requests} ordinary requests, p50 ${calm.p50.toFixed(1)} ms, p99 ${calm.p99.toFixed(1)} ms; ${await megabytes(scene)} MB`,
  );
  const faults: string[] = [];
  for (const phase of phases) faults.push(...(await runPhase(scene, phase, run, calm)));
  return [...faults, ...loggedFaults(served.program.stderr())];
}
