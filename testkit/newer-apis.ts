import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parseAst } from "vite";

/**
 * Which functions of the platform a script uses that the given browsers lack, by MDN's data. What a method is called on is
 * mostly unknown, so a name counts only if nothing that has a member of that name had it back then, and the script has
 * no member of that name itself.
 */

export type Versions = Readonly<Record<string, string>>;

interface Support {
  version_added: string | boolean | null;
  version_removed?: string;
  flags?: unknown;
  prefix?: string;
  alternative_name?: string;
}

interface Feature {
  __compat?: { support: Record<string, Support | Support[]> };
  [name: string]: Feature | unknown;
}

const require = createRequire(import.meta.url);
const data: { api: Feature; javascript: { builtins: Feature } } = JSON.parse(
  readFileSync(require.resolve("@mdn/browser-compat-data"), "utf8"),
);

const numbers = (version: string): number[] => version.replace("≤", "").split(".").map(Number);

function isUpTo(version: string, limit: string): boolean {
  const [ours, theirs] = [numbers(version), numbers(limit)];
  const at = ours.findIndex((part, index) => part !== (theirs[index] ?? 0));
  return at < 0 || (ours[at] ?? 0) < (theirs[at] ?? 0);
}

function isIn({ version_added, version_removed, flags, prefix, alternative_name }: Support, version: string): boolean {
  if (flags || prefix || alternative_name || !version_added) return false;
  if (version_added === "preview" || (version_removed && isUpTo(version_removed, version))) return false;
  return version_added === true || isUpTo(version_added, version);
}

/** Features without data of their own count as old. */
const isInAll = (feature: Feature, versions: Versions): boolean =>
  Object.entries(versions).every(([browser, version]) => {
    const support = feature.__compat?.support[browser];
    return support === undefined || [support].flat().some((each) => isIn(each, version));
  });

const isFeature = (value: unknown): value is Feature => typeof value === "object" && value !== null;

function membersOf(feature: Feature | undefined, name: string): Feature[] {
  const found = [feature?.[name], feature?.[`${name}_static`]];
  return found.filter(isFeature).filter(({ __compat }) => __compat !== undefined);
}

const { api, javascript } = data;
const { builtins } = javascript;
const things = [api, builtins, builtins["Intl"]]
  .filter(isFeature)
  .flatMap((scope) => Object.values(scope).filter(isFeature));

const globalsOf = (name: string): Feature[] =>
  [api, builtins, api["Window"]].filter(isFeature).flatMap((scope) => membersOf(scope, name));

/** The type of a global object, such as `Navigator` of `navigator`. */
function ownerOf(name: string): Feature | undefined {
  const known = api[name] ?? builtins[name] ?? api[`${name[0]?.toUpperCase()}${name.slice(1)}`];
  return isFeature(known) ? known : undefined;
}

/** Methods whose result is an iterator, which has the names of an array's methods. */
const iterates = /^(values|keys|entries|matchAll)$/;

interface Node {
  type: string;
  name?: string;
  computed?: boolean;
  key?: Node;
  object?: Node;
  property?: Node;
  callee?: Node;
  left?: Node;
}

const isNode = (value: unknown): value is Node => isFeature(value) && typeof value["type"] === "string";

function* nodesIn(node: Node): Generator<Node> {
  yield node;
  for (const child of Object.values(node).flat()) if (isNode(child)) yield* nodesIn(child);
}

/** The names of the members that the script defines itself. */
function ownMembers(nodes: readonly Node[]): Set<string | undefined> {
  return new Set(nodes.flatMap(({ key, left }) => [key?.name, left?.property?.name]));
}

/** What a member may mean, with a label for it; `isCalled`: only methods of unknown things are judged. */
function meanings({ object, property }: Node, isCalled: boolean): [label: string, features: Feature[]] {
  const name = property?.name ?? "";
  const owner = object?.type === "Identifier" ? object.name : undefined;
  const exact = owner ? membersOf(ownerOf(owner), name) : [];
  if (exact.length > 0) return [`${owner}.${name}`, exact];
  const made = object?.callee;
  if (iterates.test(made?.property?.name ?? "") && made?.object?.name !== "Object") {
    const ofIterator = membersOf(ownerOf("Iterator"), name);
    if (ofIterator.length > 0) return [`Iterator.${name}`, ofIterator];
  }
  return [`.${name}`, isCalled ? things.flatMap((thing) => membersOf(thing, name)) : []];
}

/** What the script uses that one of the browsers lacks, such as `Map.groupBy` and `.isWellFormed`, in order. */
export function newerApis(code: string, versions: Versions): string[] {
  const nodes = [...nodesIn(parseAst(code))];
  const own = ownMembers(nodes);
  const called = new Set(nodes.map(({ callee }) => callee));
  const names = new Set(nodes.flatMap(({ key, property, computed }) => (computed ? [] : [key, property])));
  const uses = new Map<string, Feature[]>();
  for (const node of nodes) {
    if (node.type === "MemberExpression" && !node.computed && node.property) {
      const [label, features] = meanings(node, called.has(node));
      if (!label.startsWith(".") || !own.has(node.property.name)) uses.set(label, features);
    } else if (node.type === "Identifier" && node.name && !names.has(node)) uses.set(node.name, globalsOf(node.name));
  }
  const newer = [...uses].filter(
    ([, features]) => features.length > 0 && !features.some((feature) => isInAll(feature, versions)),
  );
  return newer.map(([label]) => label).sort();
}
