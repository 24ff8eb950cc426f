import type { ElapsedClock } from "../deadline.ts";

/** Whether this process can do its work, for load balancers. */

/** `degraded`: some functions are missing, but requests should still come; `failed`: send requests elsewhere. */
export type CheckStatus = "ok" | "degraded" | "failed";

export interface CheckResult {
  status: CheckStatus;
  /** public: no addresses, folders or host names */
  detail: string;
}

export interface Readiness {
  status: "ready" | "degraded" | "not_ready";
  checks: Record<string, CheckResult>;
}

/** Returns the result, null if there is nothing to check, or throws if it is not available. */
export type Check = () => CheckResult | null | Promise<CheckResult | null>;

export interface ReadinessDeps {
  checks: Readonly<Record<string, Check>>;
  elapsed: ElapsedClock;
  /** ms after which a check has failed */
  timeoutMs?: number;
  /** ms for which a result is reused: anybody may ask, as often as they like */
  keepMs?: number;
}

export class ReadinessProbe {
  readonly #settings: Required<ReadinessDeps>;
  #latest: Promise<Readiness> | null = null;
  #latestAt = Number.NEGATIVE_INFINITY;
  #stopping = false;

  constructor(settings: ReadinessDeps) {
    this.#settings = { timeoutMs: 2_000, keepMs: 1_000, ...settings };
  }

  /** From now on the process is not ready: it only finishes running requests. */
  stop(): void {
    this.#stopping = true;
  }

  /** Never rejects. */
  async read(): Promise<Readiness> {
    const { elapsed, keepMs } = this.#settings;
    if (this.#latest === null || elapsed() - this.#latestAt >= keepMs) {
      this.#latestAt = elapsed();
      this.#latest = this.#checkAll();
    }
    const checks: Record<string, CheckResult> = { ...(await this.#latest).checks };
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
      // the error may name hosts and folders; it is logged by the code that needs the same thing
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

/** A degraded process still does its work. */
export const readinessCode = ({ status }: Readiness): 200 | 503 => (status === "not_ready" ? 503 : 200);
