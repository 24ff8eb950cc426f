import { execFile } from "node:child_process";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { thisCheckout } from "../../testkit/real-processes.ts";
import { type Answered, ask, type DemoProgram, say, startDemo, until } from "./demo-program.ts";
import { type FrontProxy, proxies } from "./proxy-configs.ts";
import { isInstalled, versionOf, within } from "./proxy-run.ts";

/**
 * `node hard/field/proxies.ts [--program DIR] [name...]`: the program behind proxies of Debian that are set to compress whatever they
 * can. Expected of each: downloads arrive whole and can be resumed, a 304 costs what it should, events and changes are
 * taken. `--program` names another checkout of it. Proxies that are not installed are named and left out.
 */

const run = promisify(execFile);
const acceptances = ["gzip", "gzip, deflate, br, zstd", "br", "identity"] as const;

interface Finding {
  what: string;
  fault: string | null;
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

function decoded({ headers, body }: Answered): Buffer {
  const coding = headers["content-encoding"];
  if (coding === undefined || body.length === 0) return body;
  return decoders[coding]?.(body) ?? Buffer.from(`unknown coding ${coding}`);
}

const digestOf = (bytes: Buffer): string => `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`;

class Visit {
  readonly #program: DemoProgram;
  readonly #url: string;
  readonly findings: Finding[] = [];

  constructor(program: DemoProgram, url: string) {
    this.#program = program;
    this.#url = url;
  }

  #expect(what: string, seen: unknown, wanted: unknown): void {
    const [is, should] = [JSON.stringify(seen), JSON.stringify(wanted)];
    this.findings.push({ what, fault: is === should ? null : `${is} instead of ${should}` });
  }

  #ask(path: string, headers: Record<string, string> = {}, more: { method?: string; body?: string } = {}) {
    return ask(this.#url + path, { headers, ...more });
  }

  #asKey = (headers: Record<string, string> = {}) => ({ authorization: `Bearer ${this.#program.key}`, ...headers });

  async download(path: string, file: Buffer): Promise<void> {
    for (const accept of acceptances) {
      const coding = { "accept-encoding": accept };
      const whole = await this.#ask(path, coding);
      this.#expect(`${accept}: status`, whole.status, 200);
      this.#expect(`${accept}: coding`, whole.headers["content-encoding"] ?? null, null);
      this.#expect(`${accept}: the file's bytes`, decoded(whole).equals(file), true);
      this.#expect(`${accept}: digest`, whole.headers["repr-digest"], digestOf(file));
      const etag = String(whole.headers.etag);
      const rest = await this.#ask(path, { ...coding, range: "bytes=1000-", "if-range": etag });
      this.#expect(`${accept}: resumed`, [rest.status, rest.body.equals(file.subarray(1000))], [206, true]);
      const held = await this.#ask(path, { ...coding, "if-none-match": etag });
      this.#expect(`${accept}: unchanged`, [held.status, held.body.length], [304, 0]);
    }
    const head = await this.#ask(path, { "accept-encoding": "gzip" }, { method: "HEAD" });
    this.#expect("HEAD", [head.status, head.headers["content-length"]], [200, String(file.length)]);
    await this.#resumeWithCurl(path, file);
  }

  /** As somebody does whose download broke off. */
  async #resumeWithCurl(path: string, file: Buffer): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "quizstore-curl-"));
    const out = join(folder, "file");
    await writeFile(out, file.subarray(0, 5_000));
    const args = ["-fsS", "--compressed", "-C", "-", "-o", out, this.#url + path];
    const failed = await run("curl", args).then(
      () => null,
      (error: Error) => error.message,
    );
    this.#expect("curl -C -", failed ?? (await readFile(out)).equals(file), true);
    await rm(folder, { recursive: true });
  }

  /** Units that a call costs, when the bucket is full before it. */
  async #cost(path: string, headers: Record<string, string>): Promise<{ answer: Answered; units: number }> {
    await pause(1_500);
    const answer = await this.#ask(path, this.#asKey(headers));
    const [, limit = "0", remaining = "0"] =
      /limit=(\d+).*remaining=(\d+)/.exec(String(answer.headers["ratelimit"])) ?? [];
    return { answer, units: Number(limit) - Number(remaining) };
  }

  async figures(): Promise<void> {
    const path = "/v1/analytics/summary";
    for (const accept of acceptances) {
      const coding = { "accept-encoding": accept };
      await this.#ask(path, this.#asKey(coding));
      const first = await this.#cost(path, coding);
      const body = JSON.parse(decoded(first.answer).toString()) as { period?: string };
      this.#expect(`${accept}: figures`, [first.answer.status, body.period, first.units], [200, "7d", 3]);
      let { etag } = first.answer.headers;
      let again = await this.#cost(path, { ...coding, "if-none-match": String(etag) });
      // they were computed anew meanwhile
      if (again.answer.status === 200) {
        ({ etag } = again.answer.headers);
        again = await this.#cost(path, { ...coding, "if-none-match": String(etag) });
      }
      this.#expect(`${accept}: 304 for ${etag}`, [again.answer.status, again.units], [304, 1]);
    }
  }

  async storefront(): Promise<void> {
    const { publishableKey, quizId } = this.#program;
    const path = `/storefront/v1/quizzes/${quizId}?store=${publishableKey}`;
    for (const accept of acceptances) {
      const first = await this.#ask(path, { "accept-encoding": accept });
      const { version_id } = JSON.parse(decoded(first).toString()) as { version_id: string };
      const { etag } = first.headers;
      const again = await this.#ask(path, { "accept-encoding": accept, "if-none-match": String(etag) });
      this.#expect(`${accept}: quiz, then ${etag}`, [first.status, again.status], [200, 304]);
      for (const type of ["text/plain;charset=UTF-8", "application/json"]) {
        const sent = await this.#ask(
          "/storefront/v1/events",
          { "content-type": type },
          { method: "POST", body: this.#opening(version_id) },
        );
        const taken = JSON.parse(decoded(sent).toString()) as { accepted?: number };
        this.#expect(`${accept}: event as ${type}`, [sent.status, taken.accepted], [202, 1]);
      }
    }
  }

  #opening(versionId: string): string {
    const id = (prefix: string) => `${prefix}_${randomBytes(16).toString("hex")}`;
    const at = new Date().toISOString();
    const session = { id: id("sess"), visitor_id: id("vis"), quiz_id: this.#program.quizId, version_id: versionId };
    const event = { id: `evt_${randomUUID()}`, seq: 0, at, type: "quiz_opened" };
    return JSON.stringify({
      ...{ store: this.#program.publishableKey, sent_at: at },
      ...{ session: { ...session, channel: "online_store" }, events: [event] },
    });
  }

  async changes(): Promise<void> {
    const type = { "content-type": "application/json" };
    const url = "https://receiver.example.com/hooks";
    const make = { method: "POST", body: JSON.stringify({ url, topics: ["quiz.started"] }) };
    const made = await this.#ask("/v1/webhooks", this.#asKey(type), make);
    const { id } = JSON.parse(decoded(made).toString()) as { id: string };
    const patch = { method: "PATCH", body: JSON.stringify({ description: "CRM" }) };
    const changed = await this.#ask(`/v1/webhooks/${id}`, this.#asKey(type), patch);
    const gone = await this.#ask(`/v1/webhooks/${id}`, this.#asKey(), { method: "DELETE" });
    this.#expect("POST, PATCH, DELETE", [made.status, changed.status, gone.status], [201, 200, 204]);
  }
}

interface Download {
  path: string;
  file: Buffer;
}

/** A file of everybody's responses, and its link. */
async function exported({ url, key }: DemoProgram): Promise<Download> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const made = await ask(`${url}/v1/exports`, { method: "POST", headers, body: '{"dataset":"responses"}' });
  const { id } = JSON.parse(made.body.toString()) as { id: string };
  const link = await until("the export", async () => {
    const read = await ask(`${url}/v1/exports/${id}`, { headers });
    return (JSON.parse(read.body.toString()) as { download_url?: string }).download_url;
  });
  const { pathname, search } = new URL(link);
  return { path: pathname + search, file: (await ask(link)).body };
}

async function visit(proxy: FrontProxy, program: DemoProgram, { path, file }: Download): Promise<readonly Finding[]> {
  const upstream = Number(new URL(program.url).port);
  return within(proxy, upstream, async (url) => {
    const visitor = new Visit(program, url);
    await visitor.download(path, file);
    await visitor.figures();
    await visitor.storefront();
    await visitor.changes();
    return visitor.findings;
  });
}

async function main(): Promise<void> {
  const { values, positionals: wanted } = parseArgs({
    allowPositionals: true,
    options: { program: { type: "string", default: thisCheckout } },
  });
  const program = await startDemo({ TRUST_PROXY: "1" }, values.program);
  let faults = 0;
  try {
    const download = await exported(program);
    say(`a download of ${download.file.length} bytes`);
    for (const proxy of proxies.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
      if (!(await isInstalled(proxy.program))) {
        say(`${proxy.name}: not installed (apt-get install ${proxy.packages})`);
        continue;
      }
      const findings = await visit(proxy, program, download).catch((error: Error) => [
        { what: "works", fault: error.message },
      ]);
      const wrong = findings.filter(({ fault }) => fault !== null);
      faults += wrong.length;
      say(
        `${proxy.name}: ${findings.length - wrong.length} of ${findings.length} as expected (${await versionOf(proxy)})`,
      );
      for (const { what, fault } of wrong) say(`  ${what}: ${fault}`);
    }
  } finally {
    await program.stop();
  }
  process.exitCode = faults === 0 ? 0 : 1;
}

await main();
