import type { Config } from "../config.ts";
import type { SamplerName } from "./samplers.ts";

export interface TraceSettings {
  /** the complete address that traces are sent to */
  url: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  sampler: SamplerName;
  /** for the ratio samplers, 0 to 1 */
  ratio: number;
}

/**
 * null: traces are disabled. The general endpoint is a base address, to which the signal's path is added; the other is
 * complete.
 */
export function traceSettings(config: Config): TraceSettings | null {
  const { otlpEndpoint, otlpTracesEndpoint, otlpHeaders, serviceName, tracesSampler, tracesRatio } = config;
  const url = otlpTracesEndpoint ?? (otlpEndpoint === null ? null : `${otlpEndpoint.replace(/\/+$/, "")}/v1/traces`);
  if (url === null) return null;
  return { url, headers: otlpHeaders, serviceName, sampler: tracesSampler, ratio: tracesRatio };
}
