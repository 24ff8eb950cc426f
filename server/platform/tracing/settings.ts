import type { Config } from "../config.ts";
import type { SamplerName } from "./samplers.ts";

export interface TraceSettings {
  /** where traces are sent, whole */
  url: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  sampler: SamplerName;
  /** of the ratio samplers, 0 to 1 */
  ratio: number;
}

/** null: no traces are wanted. The general endpoint is a base, to which the signal's path is added; the other is whole. */
export function traceSettings(config: Config): TraceSettings | null {
  const { otlpEndpoint, otlpTracesEndpoint, otlpHeaders, serviceName, tracesSampler, tracesRatio } = config;
  const url = otlpTracesEndpoint ?? (otlpEndpoint === null ? null : `${otlpEndpoint.replace(/\/+$/, "")}/v1/traces`);
  if (url === null) return null;
  return { url, headers: otlpHeaders, serviceName, sampler: tracesSampler, ratio: tracesRatio };
}
