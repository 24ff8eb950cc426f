/** The parts of an OpenAPI 3.1 document that the client is generated from, as contract/openapi.ts writes them. */

export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  deprecated?: boolean;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Record<string, { schema: Schema; example?: unknown }>;

export interface Described {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  deprecated?: boolean;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content; "x-problems"?: string[] }>;
  "x-cost-class"?: string;
}

export interface OpenApi {
  paths: Record<string, Record<string, Described>>;
  webhooks?: Record<string, { post: Described }>;
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> };
}

export interface Operation extends Described {
  method: string;
  path: string;
  parameters: Parameter[];
}

/** Every operation, with its parameters' references resolved. */
export function operationsOf(document: OpenApi): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      method: method.toUpperCase(),
      path,
      parameters: (described.parameters ?? []).map((parameter) => resolved(document, parameter)),
    })),
  );
}

function resolved(document: OpenApi, parameter: Parameter): Parameter {
  if (parameter.$ref === undefined) return parameter;
  const found = document.components.parameters?.[nameOf(parameter.$ref)];
  if (found === undefined) throw new Error(`${parameter.$ref} leads nowhere`);
  return found;
}

export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1);

/** The JSON schema of a body or an answer; null: there is none. */
export const jsonOf = (content: Content | undefined): Schema | null => content?.["application/json"]?.schema ?? null;

/** The schema of a successful answer: the first 2xx response with a body. */
export function answerOf({ responses }: Described): Schema | null {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  return successes.map(([, { content }]) => jsonOf(content)).find((schema) => schema !== null) ?? null;
}

/** The titles of the errors that it can return. */
export const refusalsOf = ({ responses }: Described): string[] =>
  Object.values(responses).flatMap((answer) => answer["x-problems"] ?? []);
