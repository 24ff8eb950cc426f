import { isIP } from "node:net";
import { isAbsolute, resolve } from "node:path";
import { address, headerList, headerName, hostList, refuse, trustedProxies, wholeNumber } from "./config-values.ts";
import { type LogLevel, logLevels } from "./log.ts";
import { OperatorError } from "./operator-error.ts";
import { type SamplerName, samplers } from "./tracing/samplers.ts";

/**
 * Settings [operations.settings]: each an environment variable, refused at start with a sentence that says what to
 * write.
 */
export interface Config {
  port: number;
  baseUrl: string;
  dataDir: string;
  databaseUrl: string | null;
  redisUrl: string | null;
  exportStorage: string;
  /** null: generated into the data directory */
  secretKey: string | null;
  geoCountryHeader: string | null;
  geoRegionHeader: string | null;
  trustProxy: number;
  webhookAllowHosts: readonly string[];
  factsMemoryMb: number;
  factsDiskMb: number;
  logLevel: LogLevel;
  clockSpeed: number;
  /** port of the listener for monitoring; null: there is none */
  metricsPort: number | null;
  metricsHost: string;
  drainSeconds: number;
  otlpEndpoint: string | null;
  otlpTracesEndpoint: string | null;
  otlpHeaders: Readonly<Record<string, string>>;
  serviceName: string;
  tracesSampler: SamplerName;
  tracesRatio: number;
  /** the SMTP server for emails with links; null: none are sent */
  smtpUrl: string | null;
  mailFrom: string;
  /** the identity provider for signing in; null: there is none */
  oidcIssuer: string | null;
  oidcClientId: string | null;
  oidcClientSecret: string | null;
  oidcName: string;
}

interface Setting {
  name: string;
  key: keyof Config;
  meaning: string;
  /** what `quizstore doctor` shows as the default */
  fallback: string;
  read: (text: string) => unknown;
  /** is, or may contain, a password: its value is never shown */
  secret?: true;
}

const settings: readonly Setting[] = [
  {
    name: "PORT",
    key: "port",
    meaning: "port to listen on; 0 picks a free one",
    fallback: "8080",
    read: wholeNumber(0, 65_535),
  },
  {
    name: "BASE_URL",
    key: "baseUrl",
    meaning: "public address of this service, without a path",
    fallback: "http://localhost:PORT",
    read: (text) => {
      const url = URL.canParse(text) ? new URL(text) : null;
      const plain =
        url &&
        (url.protocol === "http:" || url.protocol === "https:") &&
        url.pathname === "/" &&
        !url.search &&
        !url.hash &&
        !url.username &&
        !url.password;
      return plain ? url.origin : refuse("write an address without a path, such as https://api.example.com");
    },
  },
  {
    name: "DATA_DIR",
    key: "dataDir",
    meaning: "folder for the embedded database, files and the generated secret key",
    fallback: "./data",
    read: (text) => text,
  },
  {
    name: "DATABASE_URL",
    key: "databaseUrl",
    meaning: "PostgreSQL 15 or newer; without it an embedded one runs in DATA_DIR",
    fallback: "embedded",
    secret: true,
    read: address(["postgres:", "postgresql:"], "postgres://user:password@host:5432/quizstore"),
  },
  {
    name: "REDIS_URL",
    key: "redisUrl",
    meaning: "Redis shared by several processes; without it limits and caches live in memory",
    fallback: "none",
    secret: true,
    read: address(["redis:", "rediss:"], "redis://host:6379"),
  },
  {
    name: "EXPORT_STORAGE",
    key: "exportStorage",
    meaning: "where export files go: a folder, or s3://bucket/prefix",
    fallback: "DATA_DIR/exports",
    read: (text) =>
      isAbsolute(text) || /^s3:\/\/[a-z0-9.-]{3,63}(\/.*)?$/.test(text) || /^\.{0,2}\//.test(text)
        ? text
        : refuse("write a folder such as /var/lib/quizstore/exports, or s3://bucket/prefix"),
  },
  {
    name: "SECRET_KEY",
    key: "secretKey",
    meaning: "encrypts stored secrets, signs cursors and links; generated into DATA_DIR with the embedded database",
    fallback: "generated",
    secret: true,
    read: (text) =>
      text.length >= 32
        ? text
        : refuse("write at least 32 random characters, such as the output of: openssl rand -hex 32"),
  },
  {
    name: "GEO_COUNTRY_HEADER",
    key: "geoCountryHeader",
    meaning: "header in which a proxy sends the shopper's country",
    fallback: "none",
    read: headerName,
  },
  {
    name: "GEO_REGION_HEADER",
    key: "geoRegionHeader",
    meaning: "header in which a proxy sends the shopper's region",
    fallback: "none",
    read: headerName,
  },
  {
    name: "TRUST_PROXY",
    key: "trustProxy",
    meaning: "number of proxies in front whose X-Forwarded-For is believed",
    fallback: "0",
    read: trustedProxies,
  },
  {
    name: "WEBHOOK_ALLOW_HOSTS",
    key: "webhookAllowHosts",
    meaning: "host:port pairs that webhooks may reach over http or on private addresses; for trials only",
    fallback: "none",
    read: hostList,
  },
  {
    name: "FACTS_MEMORY_MB",
    key: "factsMemoryMb",
    meaning: "memory in MB that analytics and people search may take, beyond which they use the disk",
    fallback: "512",
    read: wholeNumber(64, 1_000_000),
  },
  {
    name: "FACTS_DISK_MB",
    key: "factsDiskMb",
    meaning: "disk in MB for the columnar copies in DATA_DIR/facts; the least recently used are deleted first",
    fallback: "20000",
    read: wholeNumber(100, 100_000_000),
  },
  {
    name: "LOG_LEVEL",
    key: "logLevel",
    meaning: `lowest level that is logged: ${logLevels.join(", ")}`,
    fallback: "info",
    read: (text) =>
      (logLevels as readonly string[]).includes(text) ? text : refuse(`write one of ${logLevels.join(", ")}`),
  },
  {
    name: "CLOCK_SPEED",
    key: "clockSpeed",
    meaning: "how many times as fast as real time the calendar runs; trials and tests only",
    fallback: "1",
    read: (text) => {
      const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
      return speed >= 1 && speed <= 100_000 ? speed : refuse("write a number from 1 to 100000");
    },
  },
  {
    name: "METRICS_PORT",
    key: "metricsPort",
    meaning: "port of a separate listener for /healthz, /readyz and /metrics; 0 picks a free one",
    fallback: "none",
    read: wholeNumber(0, 65_535),
  },
  {
    name: "METRICS_HOST",
    key: "metricsHost",
    meaning: "address that METRICS_PORT listens on; keep it private",
    fallback: "all (::)",
    read: (text) => (isIP(text) ? text : refuse("write an IP address such as 127.0.0.1")),
  },
  {
    name: "DRAIN_SECONDS",
    key: "drainSeconds",
    meaning: "how long a stopping server keeps accepting requests, so that a load balancer sees /readyz change first",
    fallback: "0",
    read: wholeNumber(0, 300),
  },
  {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    key: "otlpEndpoint",
    meaning: "OTLP receiver (JSON over HTTP) that traces are sent to, under /v1/traces",
    fallback: "none",
    secret: true,
    read: address(["http:", "https:"], "http://localhost:4318"),
  },
  {
    name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    key: "otlpTracesEndpoint",
    meaning: "the same as a complete address, for traces only",
    fallback: "none",
    secret: true,
    read: address(["http:", "https:"], "http://localhost:4318/v1/traces"),
  },
  {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    key: "otlpHeaders",
    meaning: "headers for that receiver: comma-separated name=value pairs",
    fallback: "none",
    secret: true,
    read: headerList,
  },
  {
    name: "OTEL_SERVICE_NAME",
    key: "serviceName",
    meaning: "name of this process in traces",
    fallback: "quizstore",
    read: (text) => text,
  },
  {
    name: "OTEL_TRACES_SAMPLER",
    key: "tracesSampler",
    meaning: `which traces are recorded: ${samplers.join(", ")}`,
    fallback: "parentbased_always_on",
    read: (text) =>
      (samplers as readonly string[]).includes(text) ? text : refuse(`write one of ${samplers.join(", ")}`),
  },
  {
    name: "OTEL_TRACES_SAMPLER_ARG",
    key: "tracesRatio",
    meaning: "share of the traces that the ratio samplers record, from 0 to 1",
    fallback: "1",
    read: (text) => {
      const ratio = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
      return ratio >= 0 && ratio <= 1 ? ratio : refuse("write a number from 0 to 1, such as 0.05");
    },
  },
  {
    name: "SMTP_URL",
    key: "smtpUrl",
    meaning: "mail server: invitations and sign-in links are also mailed; without it nothing is",
    fallback: "none",
    secret: true,
    read: address(["smtp:", "smtps:"], "smtps://user:password@mail.example.com"),
  },
  {
    name: "MAIL_FROM",
    key: "mailFrom",
    meaning: "sender of those emails",
    fallback: "quizstore@ the host of BASE_URL",
    read: (text) =>
      /^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/.test(text)
        ? text
        : refuse("write an address such as quizzes@example.com, or Quizzes <quizzes@example.com>"),
  },
  {
    name: "OIDC_ISSUER",
    key: "oidcIssuer",
    meaning:
      "identity provider (OpenID Connect) that people may sign in with; needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET",
    fallback: "none",
    read: address(["http:", "https:"], "https://login.example.com"),
  },
  {
    name: "OIDC_CLIENT_ID",
    key: "oidcClientId",
    meaning: "client id of this service there",
    fallback: "none",
    read: (text) => text,
  },
  {
    name: "OIDC_CLIENT_SECRET",
    key: "oidcClientSecret",
    meaning: "its client secret there",
    fallback: "none",
    secret: true,
    read: (text) => text,
  },
  {
    name: "OIDC_NAME",
    key: "oidcName",
    meaning: "what the sign-in page calls the identity provider",
    fallback: "single sign-on",
    read: (text) => (text.length <= 60 ? text : refuse("write at most 60 characters")),
  },
];

/** Reads the settings; throws an OperatorError that names every malformed one. An empty variable counts as not set. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const read: Partial<Record<keyof Config, unknown>> = {};
  const mistakes: string[] = [];
  for (const { name, key, read: parse } of settings) {
    const text = environment[name]?.trim();
    if (!text) continue;
    try {
      read[key] = parse(text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // SECRET_KEY and addresses with passwords are not repeated in the message
      mistakes.push(`${name} is malformed: ${error.message}`);
    }
  }
  mistakes.push(...missingBeside(read as Partial<Config>));
  if (mistakes.length > 0) throw new OperatorError(mistakes.join("; "));
  const { port = 8080, dataDir = "./data", ...rest } = read as Partial<Config>;
  const folder = resolve(dataDir);
  return {
    port,
    baseUrl: `http://localhost:${port}`,
    dataDir: folder,
    databaseUrl: null,
    redisUrl: null,
    exportStorage: `${folder}/exports`,
    secretKey: null,
    geoCountryHeader: null,
    geoRegionHeader: null,
    trustProxy: 0,
    webhookAllowHosts: [],
    factsMemoryMb: 512,
    factsDiskMb: 20_000,
    logLevel: "info",
    clockSpeed: 1,
    metricsPort: null,
    metricsHost: "::",
    drainSeconds: 0,
    otlpEndpoint: null,
    otlpTracesEndpoint: null,
    otlpHeaders: {},
    serviceName: "quizstore",
    tracesSampler: "parentbased_always_on",
    tracesRatio: 1,
    smtpUrl: null,
    oidcIssuer: null,
    oidcClientId: null,
    oidcClientSecret: null,
    oidcName: "single sign-on",
    ...rest,
    mailFrom: rest.mailFrom ?? `quizstore@${new URL(rest.baseUrl ?? "http://localhost").hostname}`,
  };
}

/** Settings that are missing although others need them. */
function missingBeside({ oidcIssuer, oidcClientId, oidcClientSecret }: Partial<Config>): string[] {
  if (!oidcIssuer || (oidcClientId && oidcClientSecret)) return [];
  return ["OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET beside it"];
}

export interface ShownSetting {
  name: string;
  /** `set` for a secret, `-` if there is no value */
  value: string;
  default: string;
  meaning: string;
}

/** Every setting with its value and default, for `quizstore doctor`; no secret is shown. */
export const describeSettings = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ShownSetting[] =>
  settings.map(({ name, meaning, fallback, secret }) => {
    const text = environment[name]?.trim();
    return { name, value: text ? (secret ? "set" : text) : "-", default: fallback, meaning };
  });
