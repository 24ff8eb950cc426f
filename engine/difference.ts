import {
  componentName,
  type Entry,
  entriesOf,
  firstWords,
  keyOf,
  type Names,
  namesOf,
  shortened,
  textOf,
} from "./condition-words.ts";
import {
  canonical,
  componentFields,
  type Field,
  nothing,
  optionFields,
  pageFields,
  pickFields,
  plain,
  presentationFields,
  ruleFields,
} from "./difference-fields.ts";
import { isObject } from "./read.ts";
import { atOnce, type Steps } from "./steps.ts";

/**
 * The differences between two documents of a quiz, in words [editor.difference], for publishing and for the history.
 * Things are matched by key, wherever they are. Accepts drafts, which may be invalid.
 */
export interface DocumentChange {
  kind: "added" | "removed" | "changed" | "moved";
  /** path of the thing in the later document; of a removed one in the earlier */
  path: string;
  /** one sentence */
  words: string;
  before: string | null;
  after: string | null;
}

export const differenceOf = (before: unknown, after: unknown): DocumentChange[] =>
  atOnce(differenceSteps(before, after));

/** The same in steps of some milliseconds each. */
export function* differenceSteps(before: unknown, after: unknown): Steps<DocumentChange[]> {
  const comparison = new Comparison(isObject(before) ? before : {}, isObject(after) ? after : {});
  yield;
  comparison.pages();
  yield;
  comparison.components();
  yield;
  comparison.jumpRules();
  yield;
  comparison.dimensions();
  comparison.mappings();
  comparison.presentation();
  return comparison.changes;
}
/** More than anybody reads, and a bound on the answer about two hostile documents. */
export const changesAtMost = 2_000;

/** A thing in one of the documents, with its position. */
interface Placed {
  entry: Entry;
  path: string;
  /** the key of the thing that contains it; "" for the document */
  within: string;
}

class Comparison {
  readonly changes: DocumentChange[] = [];
  readonly #before: Entry;
  readonly #after: Entry;
  readonly #earlier: Names;
  readonly #later: Names;
  /** the keys of the earlier document's pages */
  #pagesBefore: ReadonlySet<unknown> | null = null;

  constructor(before: Entry, after: Entry) {
    this.#before = before;
    this.#after = after;
    this.#earlier = namesOf(before);
    this.#later = namesOf(after);
  }

  pages(): void {
    const said = (entry: Entry): string => `page "${firstWords(entry["title"], entry["page_key"])}"`;
    const list = (document: Entry) => placed(document["pages"], "pages", (entry) => textOf(entry["page_key"]));
    this.#compare(list(this.#before), list(this.#after), said, (before, after, path) => {
      this.#fields(pageFields, before, after, path, () => said(after));
    });
  }

  /** Compares the components of all pages together, so that a question that moved to another page is the same one. */
  components(): void {
    const before = componentsOf(this.#before);
    const after = componentsOf(this.#after);
    const said = (entry: Entry): string => `${kindInWords(entry)} "${componentName(entry)}"`;
    this.#compare(before, after, said, (old, current, path, was, is) => {
      if (was.within !== is.within && this.#hasPage(is.within)) {
        const [from, to] = [this.#earlier.page(was.within), this.#later.page(is.within)];
        this.#add("moved", path, `${capital(said(current))} moved from page "${from}" to page "${to}"`, from, to);
      }
      const of = () => said(current);
      this.#fields(componentFields, old, current, path, of);
      this.#options(was, is, of);
      this.#picks(was, is, of);
    });
  }

  jumpRules(): void {
    const named = (key: unknown): string => this.#pageName(textOf(key));
    const said = (entry: Entry): string =>
      `jump from page "${named(entry["source_page_key"])}" to page "${named(entry["target_page_key"])}"`;
    const list = (document: Entry) =>
      placed(document["jump_rules"], "jump_rules", (rule) => textOf(rule["jump_rule_key"]));
    this.#compare(list(this.#before), list(this.#after), said, (before, after, path) => {
      this.#fields(ruleFields, before, after, path, () => said(after));
    });
  }

  dimensions(): void {
    const said = (entry: Entry): string => `result "${firstWords(entry["name"], entry["dimension_id"])}"`;
    const list = (document: Entry) =>
      placed(document["dimensions"], "dimensions", (entry) => textOf(entry["dimension_id"]));
    this.#compare(list(this.#before), list(this.#after), said, (before, after, path) => {
      this.#fields([{ name: "name", said: "name" }], before, after, path, () => said(after));
    });
  }

  mappings(): void {
    const said = (entry: Entry): string => `property "${plain(entry["property_name"])}"`;
    const key = (entry: Entry): string => canonical([entry["component_key"], entry["property_name"]]);
    const list = (document: Entry) => placed(document["property_mappings"], "property_mappings", key);
    this.#compare(list(this.#before), list(this.#after), said, (before, after, path) => {
      const show = (values: unknown, names: Names): string =>
        valuesInWords(values, textOf(before["component_key"]), names);
      const mapped = [{ name: "option_values", said: "list of values", show }];
      this.#fields(mapped, before, after, path, () => said(after));
    });
  }

  presentation(): void {
    const [before, after] = [fields(this.#before["presentation"]), fields(this.#after["presentation"])];
    const quiz = () => "quiz";
    this.#fields(presentationFields, before, after, "presentation", quiz);
    for (const [group, said] of [
      ["theme", "theme"],
      ["texts", "text"],
    ] as const) {
      const [was, is] = [fields(before[group]), fields(after[group])];
      const named = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort();
      const own = named.map((name) => ({ name, said: `${said} "${name}"` }));
      this.#fields(own, was, is, `presentation.${group}`, quiz);
    }
  }

  /** The page's current title, or its last one if it was removed. */
  #pageName(key: string): string {
    const name = this.#later.page(key);
    return name === key ? this.#earlier.page(key) : name;
  }

  #hasPage(key: string): boolean {
    this.#pagesBefore ??= new Set(entriesOf(this.#before["pages"]).map((entry) => entry["page_key"]));
    return this.#pagesBefore.has(key);
  }

  #options(before: Placed, after: Placed, of: () => string): void {
    const list = ({ entry, path }: Placed) =>
      placed(entry["options"], `${path}.options`, (option) => textOf(option["option_id"]));
    const said = (option: Entry): string =>
      `option "${firstWords(option["label"], option["image_alt"], option["option_id"])}" of ${of()}`;
    this.#compare(list(before), list(after), said, (was, is, at) => {
      this.#fields(optionFields, was, is, at, () => said(is));
      this.#points(fields(was["points"]), fields(is["points"]), at, () => said(is));
    });
  }

  #points(was: Entry, is: Entry, path: string, of: () => string): void {
    for (const id of new Set([...Object.keys(was), ...Object.keys(is)])) {
      // a draft may contain any value here
      const [before, after] = [plain(was[id] ?? 0), plain(is[id] ?? 0)];
      if (before === after) continue;
      const name = id in is ? this.#later.dimension(id) : this.#earlier.dimension(id);
      const words = `${capital(of())} gives "${name}" ${after} points, before ${before}`;
      this.#add("changed", `${path}.points.${id}`, words, before, after);
    }
  }

  #picks(before: Placed, after: Placed, of: () => string): void {
    const key = (pick: Entry): string => canonical([pick["product_id"], pick["variant_id"] ?? null]);
    const list = ({ entry, path }: Placed) => placed(entry["products"], `${path}.products`, key);
    const said = (pick: Entry): string => `product ${plain(pick["product_id"])} of ${of()}`;
    this.#compare(list(before), list(after), said, (was, is, at) =>
      this.#fields(pickFields, was, is, at, () => said(is)),
    );
  }

  /** Reports what was added, removed, reordered or changed. */
  #compare(
    before: ReadonlyMap<string, Placed>,
    after: ReadonlyMap<string, Placed>,
    said: (entry: Entry) => string,
    alike: (one: Entry, other: Entry, path: string, was: Placed, is: Placed) => void,
  ): void {
    const moved = movedKeys(before, after);
    for (const [key, is] of after) {
      const was = before.get(key);
      if (was === undefined) this.#add("added", is.path, `${capital(said(is.entry))} was added`, null, said(is.entry));
      else {
        if (moved.has(key)) this.#add("moved", is.path, `${capital(said(is.entry))} has another place`, null, null);
        alike(was.entry, is.entry, is.path, was, is);
      }
    }
    for (const [key, was] of before) {
      if (after.has(key)) continue;
      this.#add("removed", was.path, `${capital(said(was.entry))} was removed`, said(was.entry), null);
    }
  }

  /** @param of names the thing; most things are unchanged, and need no name */
  #fields(list: readonly Field[], was: Entry, is: Entry, path: string, of: () => string): void {
    if (this.changes.length >= changesAtMost) return;
    for (const { name, said, show = plain } of list) {
      if (isSame(was[name] ?? null, is[name] ?? null)) continue;
      const [before, after] = [show(was[name], this.#earlier), show(is[name], this.#later)];
      // an empty text replaced no text, or the reverse
      if (before === after && before === nothing) continue;
      const words = `The ${said} of ${of()} is now ${quotedIf(after)}; before: ${quotedIf(before)}`;
      this.#add("changed", `${path}.${name}`, words, before, after);
    }
  }

  #add(kind: DocumentChange["kind"], path: string, words: string, before: string | null, after: string | null): void {
    if (this.changes.length < changesAtMost) this.changes.push({ kind, path, words, before, after });
  }
}

const fields = (value: unknown): Entry => (isObject(value) ? value : {});

/** Whether two values are equal, whatever the order of their fields. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === "object" && typeof other === "object" && canonical(one) === canonical(other));

/** The values stored for options: `Dry as "dry skin", Oily as "shiny"`. */
const valuesInWords = (values: unknown, component_key: string, names: Names): string =>
  Object.entries(fields(values))
    .map(([id, value]) => `${names.option(component_key, id)} as "${plain(value)}"`)
    .join(", ") || nothing;

/** A sentence that already contains quotes is not quoted again. */
const quotedIf = (text: string, short = shortened(text.trim()) || nothing): string =>
  short === nothing || short.includes('"') ? short : `"${short}"`;

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** If a key occurs twice, as a draft may have it, the first counts. */
function placed(list: unknown, path: string, keyOfEntry: (entry: Entry) => string, within = ""): Map<string, Placed> {
  const found = new Map<string, Placed>();
  for (const [index, entry] of (Array.isArray(list) ? list : []).entries()) {
    if (!isObject(entry)) continue;
    const key = keyOfEntry(entry);
    if (!found.has(key)) found.set(key, { entry, path: `${path}.${index}`, within });
  }
  return found;
}

function componentsOf(document: Entry): Map<string, Placed> {
  const found = new Map<string, Placed>();
  for (const { entry, path } of placed(document["pages"], "pages", (page) => textOf(page["page_key"])).values()) {
    const key = (component: Entry): string =>
      `${component["kind"] === "products" ? "block" : "component"} ${keyOf(component)}`;
    const inside = placed(entry["components"], `${path}.components`, key, textOf(entry["page_key"]));
    for (const [name, component] of inside) if (!found.has(name)) found.set(name, component);
  }
  return found;
}

/**
 * The smallest set of keys in both whose moving explains the new order. Things that changed their page are left out.
 */
function movedKeys(before: ReadonlyMap<string, Placed>, after: ReadonlyMap<string, Placed>): Set<string> {
  const isSamePlace = (key: string): boolean => before.get(key)?.within === after.get(key)?.within;
  const places = new Map([...before.keys()].map((key, index) => [key, index]));
  const common = [...after.keys()].filter((key) => before.has(key) && isSamePlace(key));
  const order = common.map((key) => places.get(key) ?? 0);
  const unmoved = longestRise(order);
  return new Set(common.filter((_, index) => !unmoved.has(index)));
}

/** The indexes of a longest increasing subsequence. */
function longestRise(list: readonly number[]): Set<number> {
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [index, value] of list.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((list[ends[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? -1 : (ends[low - 1] ?? -1);
    ends[low] = index;
  }
  const indexes = new Set<number>();
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) indexes.add(index);
  return indexes;
}

const kindWords: Readonly<Record<string, string>> = {
  content: "text block",
  products: "product block",
  formula: "formula",
};
const kindInWords = (component: Entry): string => kindWords[textOf(component["kind"])] ?? "question";
