import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { describeSettings, readConfig } from "./config.ts";
import { OperatorError } from "./operator-error.ts";
import { traceSettings } from "./tracing/settings.ts";

const malformed: Record<string, string[]> = {
  PORT: ["-1", "65536", "8080.5", "0x50", "eighty", "1e3"],
  BASE_URL: [
    "api.example.com",
    "ftp://a.example",
    "https://a.example/path",
    "https://a.example?x=1",
    "https://u:p@a.example",
    "https://a.example#x",
    "//a",
  ],
  DATABASE_URL: ["mysql://a/b", "localhost", "postgres"],
  REDIS_URL: ["http://a:6379", "localhost:6379"],
  EXPORT_STORAGE: ["s3://", "s3://A_B/x", "exports", "gs://bucket"],
  SECRET_KEY: ["short", "x".repeat(31)],
  GEO_COUNTRY_HEADER: ["CF IPCountry", "a:b", "x".repeat(65)],
  GEO_REGION_HEADER: ["\u00fc"],
  TRUST_PROXY: ["yes", "33", "-1", "1.5"],
  WEBHOOK_ALLOW_HOSTS: [
    "localhost",
    "localhost:",
    "http://localhost:3000",
    "localhost:99999",
    "a b:1",
    "localhost:3000;b:1",
  ],
  FACTS_MEMORY_MB: ["63", "512MB", "-1", "1e3"],
  FACTS_DISK_MB: ["99", "20GB"],
  FACTS_AT_STOP: ["Keep", "discard"],
  LOG_LEVEL: ["verbose", "INFO"],
  CLOCK_SPEED: ["0", "0.5", "-60", "fast", "100001", "1e3", "Infinity"],
};

describe("settings [operations.settings]", () => {
  it.for(Object.entries(malformed))("stop the program with a sentence when %s is malformed", ([name, values]) => {
    for (const value of values) {
      expect(() => readConfig({ [name]: value }), `${name}=${value}`).toThrow(OperatorError);
      expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} is malformed: write `));
    }
  });

  it("name every malformed one at once, and repeat no secret", () => {
    try {
      readConfig({ PORT: "x", SECRET_KEY: "canary", DATABASE_URL: "mysql://u:canary@h/d", CLOCK_SPEED: "0" });
      expect.unreachable();
    } catch (error) {
      const { message } = error as Error;
      expect(message.split("; ").map((line) => line.split(" ")[0])).toEqual([
        "PORT",
        "DATABASE_URL",
        "SECRET_KEY",
        "CLOCK_SPEED",
      ]);
      expect(message).not.toContain("canary");
    }
  });

  it("have defaults, which an empty variable leaves in force", () => {
    const empty = Object.fromEntries(describeSettings().map(({ name }) => [name, " "]));
    expect(readConfig(empty)).toEqual(readConfig({}));
    expect(readConfig({})).toEqual({
      port: 8080,
      baseUrl: "http://localhost:8080",
      dataDir: resolve("data"),
      databaseUrl: null,
      redisUrl: null,
      exportStorage: resolve("data/exports"),
      secretKey: null,
      geoCountryHeader: null,
      geoRegionHeader: null,
      trustProxy: 0,
      factsMemoryMb: 512,
      factsDiskMb: 20_000,
      factsAtStop: "keep",
      webhookAllowHosts: [],
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
      mailFrom: "quizstore@localhost",
      oidcIssuer: null,
      oidcClientId: null,
      oidcClientSecret: null,
      oidcName: "single sign-on",
    });
  });

  it("are refused where one is worth nothing without another", () => {
    const issuer = "https://login.example.com";
    expect(() => readConfig({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: "quiz" })).toThrow(
      "OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET beside it",
    );
    const whole = readConfig({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: "quiz", OIDC_CLIENT_SECRET: "hush" });
    expect(whole).toMatchObject({ oidcIssuer: issuer, oidcClientId: "quiz", oidcClientSecret: "hush" });
    expect(readConfig({ BASE_URL: "https://quiz.example.com" }).mailFrom).toBe("quizstore@quiz.example.com");
    expect(() => readConfig({ MAIL_FROM: "no address" })).toThrow("MAIL_FROM is malformed");
  });

  it("are read as what they mean", () => {
    const read = readConfig({
      PORT: "0",
      BASE_URL: "https://API.example.com/",
      DATABASE_URL: "postgres://u:p@h:5433/d?sslmode=require",
      REDIS_URL: "rediss://h:6380/1",
      EXPORT_STORAGE: "s3://bucket-1/some/prefix",
      GEO_COUNTRY_HEADER: "CF-IPCountry",
      TRUST_PROXY: "true",
      WEBHOOK_ALLOW_HOSTS: " LOCALHOST:3000 , [::1]:9000,",
      CLOCK_SPEED: "60.5",
    });
    expect(read).toMatchObject({
      port: 0,
      baseUrl: "https://api.example.com",
      databaseUrl: "postgres://u:p@h:5433/d?sslmode=require",
      redisUrl: "rediss://h:6380/1",
      exportStorage: "s3://bucket-1/some/prefix",
      geoCountryHeader: "cf-ipcountry",
      trustProxy: 1,
      webhookAllowHosts: ["localhost:3000", "[::1]:9000"],
      clockSpeed: 60.5,
    });
    expect(readConfig({ PORT: "9000" }).baseUrl).toBe("http://localhost:9000");
    expect(readConfig({ TRUST_PROXY: "false" }).trustProxy).toBe(0);
  });

  it("are all described for the operator", () => {
    const described = describeSettings();
    expect(described.map(({ name }) => name)).toEqual([
      "PORT",
      "BASE_URL",
      "DATA_DIR",
      "DATABASE_URL",
      "REDIS_URL",
      "EXPORT_STORAGE",
      "SECRET_KEY",
      "GEO_COUNTRY_HEADER",
      "GEO_REGION_HEADER",
      "TRUST_PROXY",
      "WEBHOOK_ALLOW_HOSTS",
      "FACTS_MEMORY_MB",
      "FACTS_DISK_MB",
      "FACTS_AT_STOP",
      "LOG_LEVEL",
      "CLOCK_SPEED",
      "METRICS_PORT",
      "METRICS_HOST",
      "DRAIN_SECONDS",
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
      "OTEL_EXPORTER_OTLP_HEADERS",
      "OTEL_SERVICE_NAME",
      "OTEL_TRACES_SAMPLER",
      "OTEL_TRACES_SAMPLER_ARG",
      "SMTP_URL",
      "MAIL_FROM",
      "OIDC_ISSUER",
      "OIDC_CLIENT_ID",
      "OIDC_CLIENT_SECRET",
      "OIDC_NAME",
    ]);
    for (const { meaning, default: fallback } of described) expect([meaning, fallback]).not.toContain("");
  });

  it("are shown as they are set, but never one that may hold a password [operations.settings]", () => {
    const secret = {
      DATABASE_URL: "postgres://me:hush@db/quizstore",
      REDIS_URL: "redis://:hush@cache",
      SECRET_KEY: "hush".repeat(10),
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://me:hush@traces.example",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://me:hush@traces.example/v1/traces",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=hush",
      SMTP_URL: "smtps://me:hush@mail.example",
      OIDC_CLIENT_SECRET: "hush",
    };
    const shown = describeSettings({ ...secret, PORT: "9000", LOG_LEVEL: " " });
    expect(JSON.stringify(shown)).not.toContain("hush");
    const values = new Map(shown.map(({ name, value }) => [name, value]));
    expect(Object.keys(secret).map((name) => values.get(name))).toEqual(Object.keys(secret).map(() => "set"));
    expect([values.get("PORT"), values.get("LOG_LEVEL")]).toEqual(["9000", "-"]);
  });
});

describe("settings of traces", () => {
  it("send nothing where no receiver is named, and to the traces' own address before the general one", () => {
    expect(traceSettings(readConfig({ OTEL_SERVICE_NAME: "shop" }))).toBeNull();
    const general = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318/" };
    expect(traceSettings(readConfig(general))).toEqual({
      url: "http://localhost:4318/v1/traces",
      headers: {},
      serviceName: "quizstore",
      sampler: "parentbased_always_on",
      ratio: 1,
    });
    const own = {
      ...general,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/in",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc, x-team = shops",
      OTEL_SERVICE_NAME: "shop",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.05",
    };
    expect(traceSettings(readConfig(own))).toEqual({
      url: "https://traces.example/in",
      headers: { authorization: "Bearer abc", "x-team": "shops" },
      serviceName: "shop",
      sampler: "parentbased_traceidratio",
      ratio: 0.05,
    });
  });

  it.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=%zz"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=a%0d%0ab"],
    ["OTEL_TRACES_SAMPLER", "sometimes"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
    ["OTEL_TRACES_SAMPLER_ARG", "-1"],
    ["METRICS_PORT", "70000"],
    ["METRICS_HOST", "localhost"],
    ["DRAIN_SECONDS", "1s"],
  ])("are refused when malformed: %s=%s [operations.settings]", (name, text) => {
    expect(() => readConfig({ [name]: text })).toThrow(name);
  });
});
