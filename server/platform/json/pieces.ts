/**
 * Splits a parsed JSON value into steps of bounded size, and builds it again from them: one thread parses a large text,
 * and the other takes the value over a few steps at a time [api.turns].
 */
export type Step =
  /** opens a list or an object within the open one */
  | { open: "list" | "object"; name: string | null }
  | { close: true }
  /** entries of the open list */
  | { items: unknown[] }
  /** fields of the open object */
  | { fields: Record<string, unknown> };

/** Values, and characters of their texts, in one step or a little more: taking them over takes about a millisecond. */
const stepWeight = 10_000;
const charactersAsOne = 20;

/** Values that are not opened because they weigh less than a step. */
interface Gathered {
  names: string[] | null;
  values: unknown[];
  weight: number;
}

export function* stepsOf(value: unknown, name: string | null = null): Generator<Step> {
  const isList = Array.isArray(value);
  if (typeof value !== "object" || value === null) return yield stepOf(named(name, value));
  yield { open: isList ? "list" : "object", name };
  let gathered: Gathered = { names: isList ? null : [], values: [], weight: 0 };
  for (const [key, entry] of isList ? value.entries() : Object.entries(value)) {
    const weight = weightOf(entry);
    const isHeavy = weight > stepWeight && typeof entry === "object" && entry !== null;
    if (gathered.values.length > 0 && (isHeavy || gathered.weight + weight > stepWeight)) {
      yield stepOf(gathered);
      gathered = { names: isList ? null : [], values: [], weight: 0 };
    }
    if (isHeavy) yield* stepsOf(entry, isList ? null : String(key));
    else {
      gathered.names?.push(String(key));
      gathered.values.push(entry);
      gathered.weight += weight;
    }
  }
  if (gathered.values.length > 0) yield stepOf(gathered);
  yield { close: true };
}

const named = (name: string | null, value: unknown): Gathered => ({
  names: name === null ? null : [name],
  values: [value],
  weight: 0,
});

function stepOf({ names, values }: Gathered): Step {
  if (names === null) return { items: values };
  // fromEntries defines own properties, whatever their names
  return { fields: Object.fromEntries(names.map((name, index) => [name, values[index]])) };
}

/** The weight of a value, or a little more than a step's. */
function weightOf(value: unknown): number {
  let weight = 0;
  const open = [value];
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    weight += 1 + (typeof next === "string" ? next.length / charactersAsOne : 0);
    if (weight > stepWeight) return weight;
    if (typeof next !== "object" || next === null) continue;
    if (Array.isArray(next)) for (const entry of next.slice(0, stepWeight)) open.push(entry);
    else {
      for (const [name, entry] of Object.entries(next)) {
        weight += name.length / charactersAsOne;
        open.push(entry);
      }
    }
  }
  return weight;
}

/** Builds the value; steps come in order. */
export class Assembly {
  #value: unknown;
  readonly #open: { container: unknown[] | Record<string, unknown>; name: string | null }[] = [];

  get value(): unknown {
    return this.#value;
  }

  take(step: Step): void {
    if ("open" in step) this.#open.push({ container: step.open === "list" ? [] : {}, name: step.name });
    else if ("items" in step) for (const item of step.items) this.#add(null, item);
    else if ("fields" in step) for (const [name, value] of Object.entries(step.fields)) this.#add(name, value);
    else {
      const closed = this.#open.pop();
      if (closed) this.#add(closed.name, closed.container);
    }
  }

  #add(name: string | null, value: unknown): void {
    const container = this.#open.at(-1)?.container;
    if (container === undefined) this.#value = value;
    else if (Array.isArray(container)) container.push(value);
    // an assignment to __proto__ would change the prototype
    else Object.defineProperty(container, name ?? "", { value, configurable: true, enumerable: true, writable: true });
  }
}
