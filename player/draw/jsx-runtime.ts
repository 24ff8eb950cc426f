import { toJson } from "../json.ts";

/**
 * A minimal renderer for JSX, which compiles to calls of this file (`jsxImportSource`). Functions describe the whole
 * screen each time; the renderer updates the DOM to match and keeps elements whose key and kind are unchanged.
 * Components have no state of their own.
 */

type Key = string | number;
type AnyProps = Readonly<Record<string, unknown>>;

/** The description of an element. */
interface Drawn {
  tag: string;
  props: AnyProps;
  key: Key | undefined;
}

/** The children of an element. Null, undefined, true and false render nothing but keep their position. */
export type Child = Drawn | string | number | boolean | null | undefined | Child[];

type Hear<Place, Told> = ((event: Told & { readonly currentTarget: Place }) => void) | undefined;

/** The attributes and events in use. */
export interface Props<Place extends Element> {
  [aria: `aria-${string}`]: string | number | boolean | undefined;
  key?: Key;
  children?: Child;
  /** called once, when the element is in the page */
  ref?: (place: Place) => void;
  style?: Readonly<Record<string, string>>;
  class?: string | undefined;
  id?: string;
  role?: string | undefined;
  dir?: string;
  lang?: string;
  tabIndex?: number;
  for?: string;
  name?: string;
  type?: string;
  value?: string | number | undefined;
  checked?: boolean;
  required?: boolean;
  disabled?: boolean;
  noValidate?: boolean;
  min?: string | number;
  max?: string | number;
  step?: number;
  rows?: number;
  maxLength?: number;
  inputMode?: string;
  autocomplete?: string | undefined;
  placeholder?: string | undefined;
  href?: string;
  target?: string;
  rel?: string;
  src?: string;
  alt?: string;
  decoding?: string;
  onClick?: Hear<Place, MouseEvent>;
  onClickCapture?: Hear<Place, MouseEvent>;
  onPointerDown?: Hear<Place, PointerEvent>;
  onPointerUp?: Hear<Place, PointerEvent>;
  onKeyDown?: Hear<Place, KeyboardEvent>;
  onKeyUp?: Hear<Place, KeyboardEvent>;
  onInput?: Hear<Place, Event>;
  onChange?: Hear<Place, Event>;
  onBlur?: Hear<Place, Event>;
  onSubmit?: Hear<Place, Event>;
  onError?: Hear<Place, Event>;
}

export declare namespace JSX {
  type Element = Child;
  type ElementType = keyof IntrinsicElements | ((props: never) => Child);
  type IntrinsicElements = { [Tag in keyof HTMLElementTagNameMap]: Props<HTMLElementTagNameMap[Tag]> };
  interface IntrinsicAttributes {
    key?: Key;
  }
  interface ElementChildrenAttribute {
    children: unknown;
  }
}

export const Fragment = ({ children }: { children?: Child }): Child => children;

/** Calls a component at once; the component's key goes to the element that it returns. */
export function jsx(type: string | ((props: AnyProps) => Child), props: AnyProps, key?: Key): Child {
  if (typeof type === "string") return { tag: type, props, key };
  const drawn = type(props);
  return key !== undefined && partsOf(drawn).tag ? { ...(drawn as Drawn), key } : drawn;
}

export { jsx as jsxs };

/** An empty object for a text. */
const partsOf = (child: Child): Partial<Drawn> => Object(child);

/** An element's last rendering: its props, and its child nodes by their identity across renderings. */
interface Made {
  props: AnyProps;
  nodes: ReadonlyMap<string, HTMLElement | Text>;
  /** the identities of the child nodes, and the texts among them */
  content: string;
}

const made = new WeakMap<Node, Made>();
const nothing: Made = { props: {}, nodes: new Map(), content: "" };

/** Makes `child` the whole content of `place`. */
export function draw(child: Child, place: HTMLElement): void {
  const arrived: (() => void)[] = [];
  update(place, { children: child }, arrived);
  for (const tell of arrived) tell();
}

/**
 * A translator changes texts in place, or puts elements of its own in place of them. Its texts stay until one of the
 * element's texts changes, and then all of the element's own are shown again [player.translated].
 */
function update(place: HTMLElement, props: AnyProps, arrived: (() => void)[]): void {
  const known = made.get(place);
  const { props: before, nodes: old, content: shown } = known ?? nothing;
  const { children: inner, ...own } = props;
  const children = childrenOf(inner as Child);
  const content = toJson(children.map(([id, child]) => [id, partsOf(child).tag ? 0 : child]));
  const nodes = new Map<string, HTMLElement | Text>();
  // Removed props stay in the map as undefined, so that a listener that returns is not added twice.
  const now: Record<string, unknown> = own;
  for (const name of Object.keys(before)) now[name] ??= undefined;
  made.set(place, { props: now, nodes, content });
  const isNew = content !== shown;
  const isReplaced = isNew && [...old.values()].some((node) => node instanceof Text && node.parentNode !== place);
  if (isReplaced) for (const node of [...place.childNodes]) if (!made.has(node)) node.remove();
  for (const [id, child] of children) {
    const { tag, props: its } = partsOf(child);
    const node = ((tag || !isReplaced) && old.get(id)) || (tag ? document.createElement(tag) : new Text());
    nodes.set(id, node);
    if (its) update(node as HTMLElement, its, arrived);
    else if (isNew && node.nodeValue !== `${child}`) node.nodeValue = `${child}`;
  }
  arrange(place, old, nodes);
  for (const [name, value] of Object.entries(now)) {
    if (name.startsWith("on")) {
      if (!(name in before)) listen(place, name);
    } else if (!/^(ref|value|checked)$/.test(name) && value !== before[name]) set(place, name, value, before[name]);
  }
  // The shopper changes these too, so compare with the DOM. Set last, after the bounds and a list's options.
  for (const name of ["value", "checked"]) {
    const value = props[name];
    const filled = Reflect.get(place, name);
    if (value === undefined || `${filled}` === `${value}`) continue;
    if (filled && value === before[name]) arrived.push(() => tellFilled(place, name, value));
    else Reflect.set(place, name, value);
  }
  const { ref } = props;
  if (!known && typeof ref === "function") arrived.push(() => ref(place));
}

/**
 * An element's children by their identity. Positions and keys are relative to a list, so that a growing list does not
 * shift what follows it.
 */
function childrenOf(child: Child, at = "", index = 0): [id: string, child: Child][] {
  if (Array.isArray(child)) return child.flatMap((item, within) => childrenOf(item, `${at} ${index}`, within));
  if (child === null || child === undefined || typeof child === "boolean") return [];
  const { tag, key } = partsOf(child);
  return [[`${tag}${at} ${key === undefined ? index : `of ${key}`}`, child]];
}

/**
 * Password managers and autofill set values with a `change` event alone, or with none: what nobody described gets the
 * events that a shopper's own input fires [player.filled-fields], and is put right if nobody takes it. A slider always has
 * a value, and all ways of moving it fire events.
 */
function tellFilled(place: HTMLElement, name: string, drawn: unknown): void {
  if (Reflect.get(place, name) && Reflect.get(place, "type") !== "range") {
    for (const type of ["input", "change"]) place.dispatchEvent(new Event(type));
  }
  if (made.get(place)?.props[name] === drawn) Reflect.set(place, name, drawn);
}

/**
 * Leaves nodes that are already in order, even with foreign nodes between them, because moving a field loses its focus.
 * A text that a translator replaced is not put back.
 */
function arrange(place: HTMLElement, old: Made["nodes"], nodes: Made["nodes"]): void {
  for (const [id, node] of old) if (nodes.get(id) !== node) node.remove();
  const own = new Set<Node | null>(nodes.values());
  let next = place.firstChild;
  for (const [id, node] of nodes) {
    while (next && !own.has(next)) next = next.nextSibling;
    if (node === next) next = node.nextSibling;
    else if (made.has(node) || old.get(id) !== node || node.parentNode === place) place.insertBefore(node, next);
  }
}

/** Looks the handler up at each event, because each rendering may set another function. */
function listen(place: HTMLElement, name: string): void {
  const type = name.slice(2).toLowerCase().replace("capture", "");
  const hear = (event: Event): void => (made.get(place)?.props[name] as ((event: Event) => void) | undefined)?.(event);
  place.addEventListener(type, hear, name.endsWith("Capture"));
}

function set(place: HTMLElement, name: string, value: unknown, before: unknown): void {
  if (name === "style") {
    const styles = { ...(value as Readonly<Record<string, string>> | undefined) };
    for (const property of Object.keys({ ...(before as object | undefined), ...styles })) {
      place.style.setProperty(property, styles[property] ?? "");
    }
  } else if (value === undefined) place.removeAttribute(name);
  else if (name in place) Reflect.set(place, name, value);
  else place.setAttribute(name, `${value}`);
}
