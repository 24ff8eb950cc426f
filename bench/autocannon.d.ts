declare module "autocannon" {
  /** The parts that the benchmarks use; the package has no types. */
  interface Options {
    url: string;
    connections: number;
    pipelining: number;
    duration: number;
    headers: Record<string, string>;
  }
  interface Result {
    requests: { average: number; total: number };
    latency: { p99: number };
    non2xx: number;
    errors: number;
  }
  const autocannon: (options: Options) => Promise<Result>;
  export = autocannon;
}
