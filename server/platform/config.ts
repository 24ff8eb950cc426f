import { isIP } from "node:net";
import { isAbsolute, resolve } from "node:path";
import {
  address,
  databaseAddress,
  headerList,
  headerName,
  hostList,
  oneOf,
  refuse,
  trustedProxies,
  wholeNumber,
} from "./config-values.ts";
import { type LogLevel, logLevels } from "./log.ts";
import { OperatorError } from "./operator-error.ts";
import { type SamplerName, samplers } from "./tracing/samplers.ts";

/**
 * Settings [operations.settings]: each an environment variable, refused at start with a sentence that says what to
 * write.
 */
interface Setting<Value> {
  name: string;
  byDefault: Value;
  meaning: string;
  read: (text: string) => Value;
  /** what `quizstore doctor` shows as the default, where that is not the default itself, or `none` */
  shown?: string;
  /** is, or may contain, a password: its value is never shown */
  secret?: true;
}

const setting = <Value>(
  name: string,
  byDefault: Value,
  meaning: string,
  read: (text: string) => Value,
  more: Pick<Setting<Value>, "shown" | "secret"> = {},
): Setting<Value> => ({ name, byDefault, meaning, read, ...more });

const asWritten = (text: string): string => text;

const settings = {
  port: setting("PORT", 8080, "port to listen on; 0 picks a free one", wholeNumber(0, 65_535)),
  baseUrl: setting(
    "BASE_URL",
    null,
    "public address of this service, without a path",
    (text) => {
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
    { shown: "http://localhost:PORT" },
  ),
  dataDir: setting(
    "DATA_DIR",
    "./data",
    "folder for the embedded database, files and the generated secret key",
    asWritten,
  ),
  databaseUrl: setting(
    "DATABASE_URL",
    null,
    "PostgreSQL 15 or newer; without it an embedded one runs in DATA_DIR",
    databaseAddress,
    { shown: "embedded", secret: true },
  ),
  redisUrl: setting(
    "REDIS_URL",
    null,
    "Redis shared by several processes; without it limits and caches live in memory",
    address(["redis:", "rediss:"], "redis://host:6379"),
    { secret: true },
  ),
  exportStorage: setting(
    "EXPORT_STORAGE",
    null,
    "where export files go: a folder, or s3://bucket/prefix",
    (text) =>
      isAbsolute(text) || /^s3:\/\/[a-z0-9.-]{3,63}(\/.*)?$/.test(text) || /^\.{0,2}\//.test(text)
        ? text
        : refuse("write a folder such as /var/lib/quizstore/exports, or s3://bucket/prefix"),
    { shown: "DATA_DIR/exports" },
  ),
  secretKey: setting(
    "SECRET_KEY",
    null,
    "encrypts stored secrets, signs cursors and links; generated into DATA_DIR with the embedded database",
    (text) =>
      text.length >= 32
        ? text
        : refuse("write at least 32 random characters, such as the output of: openssl rand -hex 32"),
    { shown: "generated", secret: true },
  ),
  geoCountryHeader: setting(
    "GEO_COUNTRY_HEADER",
    null,
    "header in which a proxy sends the shopper's country",
    headerName,
  ),
  geoRegionHeader: setting(
    "GEO_REGION_HEADER",
    null,
    "header in which a proxy sends the shopper's region, as a code of ISO 3166-2 such as `CA` or `US-CA` (Cloudflare: `cf-region-code`)",
    headerName,
  ),
  trustProxy: setting("TRUST_PROXY", 0, "number of proxies in front whose X-Forwarded-For is believed", trustedProxies),
  webhookAllowHosts: setting<readonly string[]>(
    "WEBHOOK_ALLOW_HOSTS",
    [],
    "host:port pairs that webhooks may reach over http or on private addresses; for trials only",
    hostList,
  ),
  factsMemoryMb: setting(
    "FACTS_MEMORY_MB",
    512,
    "memory in MB that analytics and people search may take, beyond which they use the disk",
    wholeNumber(64, 1_000_000),
  ),
  factsDiskMb: setting(
    "FACTS_DISK_MB",
    20_000,
    "disk in MB for the columnar copies in DATA_DIR/facts; the least recently used are deleted first",
    wholeNumber(100, 100_000_000),
  ),
  factsAtStop: setting<"keep" | "delete">(
    "FACTS_AT_STOP",
    "keep",
    "what a stopping process does with its columnar copies; delete where DATA_DIR does not outlast it",
    oneOf(["keep", "delete"]),
  ),
  logLevel: setting<LogLevel>(
    "LOG_LEVEL",
    "info",
    `lowest level that is logged: ${logLevels.join(", ")}`,
    oneOf(logLevels),
  ),
  clockSpeed: setting(
    "CLOCK_SPEED",
    1,
    "how many times as fast as real time the calendar runs; trials and tests only",
    (text) => {
      const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
      return speed >= 1 && speed <= 100_000 ? speed : refuse("write a number from 1 to 100000");
    },
  ),
  metricsPort: setting(
    "METRICS_PORT",
    null,
    "port of a separate listener for /healthz, /readyz and /metrics; 0 picks a free one",
    wholeNumber(0, 65_535),
  ),
  metricsHost: setting(
    "METRICS_HOST",
    "::",
    "address that METRICS_PORT listens on; keep it private",
    (text) => (isIP(text) ? text : refuse("write an IP address such as 127.0.0.1")),
    { shown: "all (::)" },
  ),
  drainSeconds: setting(
    "DRAIN_SECONDS",
    0,
    "how long a stopping server keeps accepting requests, so that a load balancer sees /readyz change first",
    wholeNumber(0, 300),
  ),
  otlpEndpoint: setting(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    null,
    "OTLP receiver (JSON over HTTP) that traces are sent to, under /v1/traces",
    address(["http:", "https:"], "http://localhost:4318"),
    { secret: true },
  ),
  otlpTracesEndpoint: setting(
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    null,
    "the same as a complete address, for traces only",
    address(["http:", "https:"], "http://localhost:4318/v1/traces"),
    { secret: true },
  ),
  otlpHeaders: setting<Readonly<Record<string, string>>>(
    "OTEL_EXPORTER_OTLP_HEADERS",
    {},
    "headers for that receiver: comma-separated name=value pairs",
    headerList,
    { secret: true },
  ),
  serviceName: setting("OTEL_SERVICE_NAME", "quizstore", "name of this process in traces", asWritten),
  tracesSampler: setting<SamplerName>(
    "OTEL_TRACES_SAMPLER",
    "parentbased_always_on",
    `which traces are recorded: ${samplers.join(", ")}`,
    oneOf(samplers),
  ),
  tracesRatio: setting(
    "OTEL_TRACES_SAMPLER_ARG",
    1,
    "share of the traces that the ratio samplers record, from 0 to 1",
    (text) => {
      const ratio = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
      return ratio >= 0 && ratio <= 1 ? ratio : refuse("write a number from 0 to 1, such as 0.05");
    },
  ),
  smtpUrl: setting(
    "SMTP_URL",
    null,
    "mail server: invitations and sign-in links are also mailed; without it nothing is",
    address(["smtp:", "smtps:"], "smtps://user:password@mail.example.com"),
    { secret: true },
  ),
  mailFrom: setting(
    "MAIL_FROM",
    null,
    "sender of those emails",
    (text) =>
      /^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/.test(text)
        ? text
        : refuse("write an address such as quizzes@example.com, or Quizzes <quizzes@example.com>"),
    { shown: "quizstore@ the host of BASE_URL" },
  ),
  oidcIssuer: setting(
    "OIDC_ISSUER",
    null,
    "identity provider (OpenID Connect) that people may sign in with; needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET",
    address(["http:", "https:"], "https://login.example.com"),
  ),
  oidcClientId: setting("OIDC_CLIENT_ID", null, "client id of this service there", asWritten),
  oidcClientSecret: setting("OIDC_CLIENT_SECRET", null, "its client secret there", asWritten, { secret: true }),
  oidcName: setting("OIDC_NAME", "single sign-on", "what the sign-in page calls the identity provider", (text) =>
    text.length <= 60 ? text : refuse("write at most 60 characters"),
  ),
};

type Settings = typeof settings;
type Values = { [Key in keyof Settings]: Settings[Key]["byDefault"] };

export interface Config extends Values {
  // their defaults follow from other settings
  baseUrl: string;
  exportStorage: string;
  mailFrom: string;
}

/** Reads the settings; throws an OperatorError that names every malformed one. An empty variable counts as not set. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const mistakes: string[] = [];
  const readSetting = ({ name, byDefault, read }: Setting<unknown>): unknown => {
    const text = environment[name]?.trim();
    if (!text) return byDefault;
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // SECRET_KEY and addresses with passwords are not repeated in the message
      mistakes.push(`${name} is malformed: ${error.message}`);
      return byDefault;
    }
  };
  const values = Object.fromEntries(Object.entries(settings).map(([key, each]) => [key, readSetting(each)])) as Values;
  mistakes.push(...missingBeside(values));
  if (mistakes.length > 0) throw new OperatorError(mistakes.join("; "));
  const dataDir = resolve(values.dataDir);
  const baseUrl = values.baseUrl ?? `http://localhost:${values.port}`;
  return {
    ...values,
    dataDir,
    baseUrl,
    exportStorage: values.exportStorage ?? `${dataDir}/exports`,
    mailFrom: values.mailFrom ?? `quizstore@${new URL(baseUrl).hostname}`,
  };
}

/** Settings that are missing although others need them. */
function missingBeside({ oidcIssuer, oidcClientId, oidcClientSecret }: Values): string[] {
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
  Object.values<Setting<unknown>>(settings).map(({ name, byDefault, meaning, shown, secret }) => {
    const text = environment[name]?.trim();
    const plain = typeof byDefault === "string" || typeof byDefault === "number" ? String(byDefault) : "none";
    return { name, value: text ? (secret ? "set" : text) : "-", default: shown ?? plain, meaning };
  });
