import { type Operation, takesIdempotencyKey } from "../../contract/operation.ts";
import { sampleIds } from "../../contract/parameter-examples.ts";

/**
 * How to call an operation in curl, TypeScript and Python; each example runs unchanged, and tests run it
 * [reference.examples].
 */

export interface Example {
  language: "curl" | "TypeScript" | "Python";
  /** the language tag of its code block */
  mark: "sh" | "ts" | "python";
  code: string;
}

interface Call {
  operation: Operation;
  path: [name: string, id: string][];
  query: [name: string, value: string | number][];
  body: unknown;
}

function callOf(operation: Operation): Call {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
  const path = names.map((name): [string, string] => {
    const id = sampleIds[name];
    if (id === undefined) throw new Error(`no sample is known for {${name}}`);
    return [name, id];
  });
  return { operation, path, query: queryOf(operation), body: operation.bodyExample };
}

/** Required parameters, and a number of rows for lists. */
function queryOf({ query }: Operation): [string, string | number][] {
  const { required = [], properties = {} } = (query ?? {}) as {
    required?: string[];
    properties?: Record<string, Field>;
  };
  const parameters = required.map((name): [string, string | number] => {
    const [first] = properties[name]?.enum ?? [];
    if (first === undefined) throw new Error(`no example is known for ${name}`);
    return [name, first];
  });
  return properties["cursor"] === undefined ? parameters : [...parameters, ["limit", 10]];
}

interface Field {
  enum?: (string | number)[];
}

/** Path and query, encoded, to append to the server's address. */
function addressOf({ operation, path, query }: Call): string {
  const ids = new Map(path);
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? "");
  const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, String(value)]));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

/** The same on every run of the example, so that a repeat gets the first answer again. */
const keyOf = ({ operation }: Call): string | null => (takesIdempotencyKey(operation) ? `${operation.id}-1` : null);

/** Operations of test stores use another variable, so that nobody empties a live store by mistake. */
const keyName = ({ operation }: Call): string => (operation.ofTestStores ? "QUIZSTORE_TEST_KEY" : "QUIZSTORE_KEY");

function curl(call: Call): string {
  const { method } = call.operation;
  const key = keyOf(call);
  const words = [
    `curl --fail-with-body -sS ${method === "GET" ? "" : `-X ${method} `}"$QUIZSTORE_URL${addressOf(call)}"`,
    `-H "Authorization: Bearer $${keyName(call)}"`,
    ...(key === null ? [] : [`-H "Idempotency-Key: ${key}"`]),
    ...(call.body === undefined
      ? []
      : [
          `-H "Content-Type: application/json"`,
          `--data '${JSON.stringify(call.body, null, 2).replaceAll("'", "'\\''")}'`,
        ]),
  ];
  return words.join(" \\\n  ");
}

/** JSON without quotes around names that need none. */
function literal(value: unknown, indent = ""): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.every((each) => typeof each !== "object" || each === null)) {
      return `[${value.map((each) => JSON.stringify(each)).join(", ")}]`;
    }
    return `[\n${value.map((each) => `${inner}${literal(each, inner)},\n`).join("")}${indent}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, each]) => {
    const written = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${inner}${written}: ${literal(each, inner)},\n`;
  });
  return fields.length === 0 ? "{}" : `{\n${fields.join("")}${indent}}`;
}

/** Part of the example's own code; this program does not read it. */
const env = ["process", "env"].join(".");

function typescript(call: Call): string {
  const { operation, path, query, body } = call;
  const input = {
    ...(path.length === 0 ? {} : { path: Object.fromEntries(path) }),
    ...(query.length === 0 ? {} : { query: Object.fromEntries(query) }),
    ...(body === undefined ? {} : { body }),
  };
  const key = keyOf(call);
  const takesInput = (operation.params ?? operation.query ?? operation.body) !== undefined;
  const args = [
    "client",
    ...(takesInput && (Object.keys(input).length > 0 || key !== null) ? [literal(input)] : []),
    ...(key === null ? [] : [`{ idempotencyKey: ${JSON.stringify(key)} }`]),
  ];
  const called = `${operation.id}(${args.join(", ")})`;
  const walked = operation.query?.properties["cursor"] !== undefined;
  return [
    `import { createClient, ${operation.id} } from "@quizstore/client";`,
    "",
    `const client = createClient({ baseUrl: ${env}.QUIZSTORE_URL ?? "", apiKey: ${env}.${keyName(call)} ?? "" });`,
    walked
      ? `for await (const each of ${called}) console.log(each);`
      : `const answer = await ${called};\nconsole.log(answer);`,
  ].join("\n");
}

/** A value in Python's syntax, on one line if it is short. */
function python(value: unknown, indent = ""): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}    `;
  const items = Array.isArray(value)
    ? value.map((each) => python(each, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${python(each, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const line = `${open}${items.join(", ")}${close}`;
  if (line.length + indent.length < 90 && !line.includes("\n")) return line;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}${close}`;
}

function pythonCall(call: Call): string {
  const { operation, body } = call;
  const key = keyOf(call);
  const headers = [
    `"Authorization": "Bearer " + os.environ["${keyName(call)}"]`,
    ...(key === null ? [] : [`"Idempotency-Key": ${JSON.stringify(key)}`]),
    ...(body === undefined ? [] : [`"Content-Type": "application/json"`]),
  ];
  const nothing = operation.answer.status === 204;
  return [
    ...(body === undefined && nothing ? [] : ["import json"]),
    "import os",
    "import urllib.request",
    "",
    "request = urllib.request.Request(",
    `    os.environ["QUIZSTORE_URL"] + ${JSON.stringify(addressOf(call))},`,
    `    method=${JSON.stringify(operation.method)},`,
    `    headers={${headers.join(", ")}},`,
    ...(body === undefined ? [] : [`    data=json.dumps(${python(body, "    ")}).encode(),`]),
    ")",
    "with urllib.request.urlopen(request) as response:",
    nothing ? "    print(response.status)" : "    print(json.load(response))",
  ].join("\n");
}

export function examplesOf(operation: Operation): Example[] {
  const call = callOf(operation);
  return [
    { language: "curl", mark: "sh", code: curl(call) },
    { language: "TypeScript", mark: "ts", code: typescript(call) },
    { language: "Python", mark: "python", code: pythonCall(call) },
  ];
}
