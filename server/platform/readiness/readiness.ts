import type { ElapsedClock } from "../deadline.ts";

/** Whether this process can do its work, for whoever sends requests its way. */

/** `degraded`: less than usual is done, but enough to go on; `failed`: send requests elsewhere. */
export type CheckStatus = "ok" | "degraded" | "failed";

export interface CheckResult {
  status: CheckStatus;
  /** for anybody to read: no addresses, folders or names of hosts */
  detail: string;
}

export interface Readiness {
  status: "ready" | "degraded" | "not_ready";
  checks: Record<string, CheckResult>;
}

/** Answers, null where there is nothing of its kind, or throws when what it looks at is not there. */
export type Check = () => CheckResult | null | Promise<CheckResult | null>;

export interface ReadinessDeps {
  checks: Readonly<Record<string, Check>>;
  elapsed: ElapsedClock;
  /** ms, after which a check has failed */
  timeoutMs?: number;
  /** ms for which an answer is given again: anybody may ask, as often as they like */
  keepMs?: number;
}

export class ReadinessProbe {
  readonly #settings: Required<ReadinessDeps>;
  #asked: Promise<Readiness> | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #stopping = false;

  constructor(settings: ReadinessDeps) {
    this.#settings = { timeoutMs: 2_000, keepMs: 1_000, ...settings };
  }

  /** From now on the process is not ready: it ends what it has begun. */
  stop(): void {
    this.#stopping = true;
  }

  /** Never rejects. */
  async read(): Promise<Readiness> {
    const { elapsed, keepMs } = this.#settings;
    if (this.#asked === null || elapsed() - this.#askedAt >= keepMs) {
      this.#askedAt = elapsed();
      this.#asked = this.#checkAll();
    }
    const checks: Record<string, CheckResult> = { ...(await this.#asked).checks };
    checks["process"] = this.#stopping
      ? { status: "failed", detail: "stopping; requests under way are finished" }
      : { status: "ok", detail: "serving" };
    return { status: statusOf(checks), checks };
  }

  async #checkAll(): Promise<Readiness> {
    const names = Object.keys(this.#settings.checks);
    const results = await Promise.all(names.map((name) => this.#check(name)));
    const found = names.flatMap((name, index) => {
      const result = results[index];
      return result ? [[name, result] as const] : [];
    });
    const checks = Object.fromEntries(found);
    return { status: statusOf(checks), checks };
  }

  async #check(name: string): Promise<CheckResult | null> {
    const { promise: late, resolve } = Promise.withResolvers<CheckResult>();
    const timer = setTimeout(() => resolve(silent), this.#settings.timeoutMs);
    try {
      const check = this.#settings.checks[name];
      return check ? await Promise.race([check(), late]) : null;
    } catch {
      // what went wrong may name hosts and folders; the log has it, from whoever needs the same
      return { status: "failed", detail: "cannot be reached" };
    } finally {
      clearTimeout(timer);
    }
  }
}

const silent: CheckResult = { status: "failed", detail: "gives no answer in time" };

function statusOf(checks: Readonly<Record<string, CheckResult>>): Readiness["status"] {
  const statuses = Object.values(checks).map(({ status }) => status);
  if (statuses.includes("failed")) return "not_ready";
  return statuses.includes("degraded") ? "degraded" : "ready";
}

/** A process that is degraded still does its work. */
export const readinessCode = ({ status }: Readiness): 200 | 503 => (status === "not_ready" ? 503 : 200);
