import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { newValidator } from "../server/platform/http/shapes.ts";

/** Reads the committed openapi.json like a stranger: what each operation accepts, and how it may answer. */

export type Schema = { readonly [keyword: string]: unknown };

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  schema: Schema;
}

export interface AnswerRule {
  headers: readonly string[];
  /** null: no body */
  mediaType: string | null;
  matches: ValidateFunction | null;
  /** titles of the problems that this status may have */
  titles: ReadonlySet<string>;
}

export interface FuzzOperation {
  id: string;
  method: string;
  path: string;
  scope: string | null;
  cost: string;
  parameters: readonly Parameter[];
  /** null: the operation accepts no body */
  body: Schema | null;
  takes: ValidateFunction;
  takesQuery: ValidateFunction;
  answers: ReadonlyMap<number, AnswerRule>;
}

interface DocumentOperation {
  operationId: string;
  security: { apiKey: string[] }[];
  "x-cost-class": string;
  parameters?: (Parameter & { $ref?: string })[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
  responses: Record<
    string,
    { description: string; headers: Record<string, unknown>; content?: Record<string, object> }
  >;
}

interface Document {
  paths: Record<string, Record<string, DocumentOperation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

const utcMilliseconds = /^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Objects of answers may only have declared fields: anything undocumented must not be disclosed. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (node === null || typeof node !== "object") return node;
  const inner = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, name === "enum" ? value : closed(value)]),
  );
  const open = "additionalProperties" in inner || "patternProperties" in inner || !("properties" in inner);
  return open || "$ref" in inner ? inner : { ...inner, additionalProperties: false };
}

function answerValidator(document: Document): (pointer: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  ajv.addFormat("date", /^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])$/);
  ajv.addFormat("date-time", (text) => utcMilliseconds.test(text) && !Number.isNaN(Date.parse(text)));
  ajv.addFormat("uri", (text) => URL.canParse(text));
  const schemas = closed(document.components.schemas);
  // an OpenAPI document does not have a schema's type; ajv only resolves references in it
  ajv.addSchema({ $id: "answers", ...document, components: { schemas }, paths: closed(document.paths) } as object);
  return (pointer) => ajv.compile({ $ref: `answers#${pointer}` });
}

/** Replaces every `$ref` of a request's schema by its target; these do not recurse. */
function inlined(node: unknown, document: Document): unknown {
  if (Array.isArray(node)) return node.map((item) => inlined(item, document));
  if (node === null || typeof node !== "object") return node;
  const { $ref, ...rest } = node as { $ref?: string };
  const own = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, inlined(value, document)]));
  if (typeof $ref !== "string") return own;
  const name = $ref.replace("#/components/schemas/", "");
  // the target of a name in the document is an object
  return { ...(inlined(document.components.schemas[name], document) as object), ...own };
}

const escaped = (part: string): string => part.replaceAll("~", "~0").replaceAll("/", "~1");

/** The titles in an error's description: `not_found: Not found; conflict: ...`. */
const titlesIn = (description: string): ReadonlySet<string> =>
  new Set([...description.matchAll(/(?:^|; )([a-z_]+): /g)].map((match) => match[1] ?? ""));

const nothing: Schema = { type: "object", additionalProperties: false };

export interface FuzzDocument {
  operations: readonly FuzzOperation[];
  /** the body of every error */
  problem: ValidateFunction;
}

export function readDocument(): FuzzDocument {
  const document = JSON.parse(readFileSync(join(import.meta.dirname, "../openapi.json"), "utf8")) as Document;
  const validator = answerValidator(document);
  const requests = newValidator();
  const read = (path: string, method: string, operation: DocumentOperation): FuzzOperation => {
    const parameters = (operation.parameters ?? []).map((parameter) => {
      const name = parameter.$ref?.replace("#/components/parameters/", "") ?? "";
      return parameter.$ref ? (document.components.parameters[name] as Parameter) : parameter;
    });
    const query = parameters.filter((parameter) => parameter.in === "query");
    const declared = operation.requestBody?.content["application/json"].schema;
    const body = declared ? (inlined(declared, document) as Schema) : null;
    const at = `/paths/${escaped(path)}/${method}/responses`;
    const answers = Object.entries(operation.responses).map(([status, { description, headers, content }]) => {
      const mediaType = Object.keys(content ?? {})[0] ?? null;
      const pointer = `${at}/${status}/content/${escaped(mediaType ?? "")}/schema`;
      const matches = mediaType === null ? null : validator(pointer);
      const rule = { headers: Object.keys(headers), mediaType, matches, titles: titlesIn(description) };
      return [Number(status), rule] as const;
    });
    return {
      ...{ id: operation.operationId, method: method.toUpperCase(), path, cost: operation["x-cost-class"] },
      ...{ scope: operation.security[0]?.apiKey[0] ?? null, parameters, body, answers: new Map(answers) },
      takes: requests.compile(body ?? nothing),
      takesQuery: requests.compile({
        ...{ type: "object", required: query.filter(({ required }) => required).map(({ name }) => name) },
        properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
        additionalProperties: false,
      }),
    };
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => read(path, method, operation)),
  );
  return { operations, problem: validator("/components/schemas/Problem") };
}
