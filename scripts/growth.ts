/**
 * Within v1 the API only grows [api.growth]. Compares the OpenAPI document of a release with the current one, and
 * reports what could break the release's clients. Pure: takes two parsed documents, returns sentences.
 */

type Json = Record<string, unknown>;

export interface GrowthRules {
  /** operation ids whose deprecation window has ended; only these may be missing */
  retired?: readonly string[];
}

/** Breaking changes, one sentence each; empty: the document only grew. */
export function brokenPromises(before: Json, now: Json, { retired = [] }: GrowthRules = {}): string[] {
  const found: string[] = [];
  const present = operationsOf(now);
  for (const [name, old] of operationsOf(before)) {
    if (retired.includes(String(old["operationId"]))) continue;
    const fresh = present.get(name);
    if (!fresh) found.push(`${name}: is gone`);
    else compareOperation(new Comparison(before, now, found), name, old, fresh);
  }
  return found;
}

function operationsOf(document: Json): Map<string, Json> {
  const list = new Map<string, Json>();
  for (const [path, item] of entries(document["paths"])) {
    for (const [method, operation] of entries(item)) list.set(`${method.toUpperCase()} ${path}`, operation as Json);
  }
  return list;
}

function compareOperation(compare: Comparison, name: string, old: Json, fresh: Json): void {
  if (old["operationId"] !== fresh["operationId"]) compare.found.push(`${name}: its operationId changed`);
  compareScopes(compare, name, old, fresh);
  compareParameters(compare, name, old, fresh);
  const bodies = [old, fresh].map((each) => contentOf(each["requestBody"]));
  if (bodies[0] && !bodies[1]) compare.found.push(`${name} body: is no longer taken`);
  if (bodies[0] && bodies[1]) compare.schemas(`${name} body`, bodies[0], bodies[1], "input");
  if (demandsBody(fresh, compare.now) && !demandsBody(old, compare.before)) {
    compare.found.push(`${name} body: became required`);
  }
  const answers = new Map(entries(fresh["responses"]));
  for (const [status, answer] of entries(old["responses"])) {
    const present = answers.get(status);
    const [was, is] = [contentOf(answer), contentOf(present)];
    if (!present) compare.found.push(`${name} ${status}: is no longer answered`);
    else if (was && !is) compare.found.push(`${name} ${status}: lost its body`);
    else if (was && is) compare.schemas(`${name} ${status}`, was, is, "output");
    if (present) compareHeaders(compare, `${name} ${status}`, answer as Json, present as Json);
  }
}

/** A body with a required field is itself required, whether its operation says so or not. */
function demandsBody({ requestBody }: Json, document: Json): boolean {
  const { required = [] } = resolved(contentOf(requestBody), document) as { required?: string[] };
  return (requestBody as Json | undefined)?.["required"] === true || required.length > 0;
}

function compareScopes(compare: Comparison, name: string, old: Json, fresh: Json): void {
  const needed = (operation: Json) =>
    ((operation["security"] as Json[] | undefined) ?? []).flatMap((each) => Object.values(each).flat());
  const known = needed(old);
  for (const scope of needed(fresh)) {
    if (!known.includes(scope)) compare.found.push(`${name}: now needs the scope ${String(scope)}`);
  }
}

function compareHeaders(compare: Comparison, place: string, old: Json, fresh: Json): void {
  const present = new Set(Object.keys((fresh["headers"] as Json | undefined) ?? {}));
  for (const [header] of entries(old["headers"])) {
    if (!present.has(header)) compare.found.push(`${place}: no longer has the header ${header}`);
  }
}

function compareParameters(compare: Comparison, name: string, old: Json, fresh: Json): void {
  const list = (operation: Json, document: Json) =>
    new Map(
      ((operation["parameters"] as Json[] | undefined) ?? [])
        .map((parameter) => resolved(parameter, document))
        .map((parameter) => [`${String(parameter["in"])}.${String(parameter["name"])}`, parameter] as const),
    );
  const [known, present] = [list(old, compare.before), list(fresh, compare.now)];
  for (const [id, parameter] of known) {
    const is = present.get(id);
    if (!is) compare.found.push(`${name} ${id}: is no longer taken`);
    else compare.schemas(`${name} ${id}`, parameter["schema"], is["schema"], "input");
  }
  for (const [id, parameter] of present) {
    if (parameter["required"] === true && known.get(id)?.["required"] !== true) {
      compare.found.push(`${name} ${id}: became required`);
    }
  }
}

/** Bounds, and the changes to them that refuse what was accepted before. */
const tightens: Record<string, (was: number, is: number) => boolean> = {
  maximum: (was, is) => is < was,
  maxLength: (was, is) => is < was,
  maxItems: (was, is) => is < was,
  minimum: (was, is) => is > was,
  minLength: (was, is) => is > was,
  minItems: (was, is) => is > was,
};

class Comparison {
  readonly before: Json;
  readonly now: Json;
  readonly found: string[];
  readonly #seen = new Set<string>();

  constructor(before: Json, now: Json, found: string[]) {
    this.before = before;
    this.now = now;
    this.found = found;
  }

  /**
   * `input`: everything accepted before must still be accepted. `output`: everything returned before must still be
   * returned.
   */
  schemas(place: string, was: unknown, is: unknown, direction: "input" | "output"): void {
    const pair = `${direction} ${reference(was)} ${reference(is)}`;
    // shapes may contain themselves
    if (reference(was) !== "" && this.#seen.has(pair)) return;
    this.#seen.add(pair);
    const [old, fresh] = [resolved(was, this.before), resolved(is, this.now)];
    this.#types(place, old, fresh, direction);
    this.#values(place, old, fresh, direction);
    this.#fields(place, old, fresh, direction);
    if (old["items"]) this.schemas(`${place}[]`, old["items"], fresh["items"] ?? {}, direction);
    this.#alternatives(place, old, fresh, direction);
    if (direction === "input") this.#bounds(place, old, fresh);
  }

  #types(place: string, old: Json, fresh: Json, direction: string): void {
    const [was, is] = [typesOf(old), typesOf(fresh)];
    if (was.length === 0 && is.length === 0) return;
    const lost = was.filter(
      (type) => !is.includes(type) && !(type === "integer" && is.includes("number") && direction === "input"),
    );
    const gained = is.filter(
      (type) => !was.includes(type) && !(type === "number" && was.includes("integer") && direction === "input"),
    );
    const broken =
      direction === "input"
        ? lost.length > 0 && is.length > 0
        : gained.length > 0 || (was.length > 0 && is.length === 0);
    if (broken) this.found.push(`${place}: was ${was.join(" or ") || "anything"}, is ${is.join(" or ") || "anything"}`);
    if (old["format"] !== fresh["format"] && (direction === "output" || fresh["format"] !== undefined)) {
      this.found.push(`${place}: its format was ${String(old["format"])}, is ${String(fresh["format"])}`);
    }
  }

  #values(place: string, old: Json, fresh: Json, direction: string): void {
    const [was, is] = [old["enum"], fresh["enum"]].map((values) => values as unknown[] | undefined);
    if (direction === "input" && is) {
      for (const value of was ?? ["any other value"]) {
        if (!is.includes(value)) this.found.push(`${place}: no longer takes ${String(value)}`);
      }
    }
  }

  #fields(place: string, old: Json, fresh: Json, direction: string): void {
    const present = new Map(entries(fresh["properties"]));
    const required = (shape: Json) => (shape["required"] as string[] | undefined) ?? [];
    for (const [name, shape] of entries(old["properties"])) {
      const is = present.get(name);
      if (is === undefined) this.found.push(`${place}.${name}: is gone`);
      else this.schemas(`${place}.${name}`, shape, is, direction as "input" | "output");
    }
    if (direction === "output") {
      for (const name of required(old)) {
        if (present.has(name) && !required(fresh).includes(name))
          this.found.push(`${place}.${name}: may now be absent`);
      }
      return;
    }
    for (const name of required(fresh)) {
      if (!required(old).includes(name)) this.found.push(`${place}.${name}: became required`);
    }
  }

  /** Compared in order; an additional alternative is allowed for input, a missing one is not. */
  #alternatives(place: string, old: Json, fresh: Json, direction: "input" | "output"): void {
    const [was, is] = [old["anyOf"], fresh["anyOf"]].map((list) => (list as unknown[] | undefined) ?? []);
    if ((was?.length ?? 0) > (is?.length ?? 0)) this.found.push(`${place}: has fewer forms than before`);
    for (const [index, form] of (was ?? []).entries()) {
      if (is?.[index] !== undefined) this.schemas(`${place}(${index + 1})`, form, is[index], direction);
    }
  }

  #bounds(place: string, old: Json, fresh: Json): void {
    for (const [name, isTighter] of Object.entries(tightens)) {
      const [was, is] = [old[name], fresh[name]];
      const unbounded = name.startsWith("max") ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
      if (is !== undefined && isTighter(was === undefined ? unbounded : Number(was), Number(is))) {
        this.found.push(`${place}: ${name} was ${String(was ?? "none")}, is ${String(is)}`);
      }
    }
    if (fresh["pattern"] !== undefined && fresh["pattern"] !== old["pattern"])
      this.found.push(`${place}: its pattern changed`);
    if (old["default"] !== undefined && JSON.stringify(old["default"]) !== JSON.stringify(fresh["default"])) {
      this.found.push(`${place}: its default changed`);
    }
  }
}

const entries = (value: unknown): [string, unknown][] => Object.entries((value as Json | undefined) ?? {});
/** An enum without a type has those of its values. */
const typesOf = ({ type, enum: values }: Json): string[] =>
  type === undefined && Array.isArray(values)
    ? [...new Set(values.map((value) => (value === null ? "null" : typeof value)))]
    : ([type ?? []].flat() as string[]);
const reference = (shape: unknown): string => String((shape as Json | undefined)?.["$ref"] ?? "");

function resolved(shape: unknown, document: Json): Json {
  const path = reference(shape);
  if (path === "") return (shape as Json | undefined) ?? {};
  let place: unknown = document;
  for (const part of path.slice(2).split("/")) place = (place as Json | undefined)?.[part];
  return (place as Json | undefined) ?? {};
}

/** The schema of a body's first media type. */
function contentOf(holder: unknown): unknown {
  const [first] = entries((holder as Json | undefined)?.["content"]);
  return (first?.[1] as Json | undefined)?.["schema"];
}
