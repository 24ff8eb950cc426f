import { createContext, useCallback, useContext, useMemo, useRef, useSyncExternalStore } from "react";
import type { QuizDocument } from "../../engine/document.ts";
import type { Finding } from "../../engine/lint.ts";
import type { CatalogProduct } from "../api/generated.ts";
import { type Path, valueAt } from "./document/change.ts";
import { setField } from "./document/edits.ts";
import type { Edit } from "./document/history.ts";
import { locate } from "./locate.ts";
import type { EditorSession, EditorState } from "./session/editor-session.ts";
import type { UiState, UiStore } from "./ui-state.ts";

/**
 * What all parts of the editor share. A part selects only the state that it shows, so that a key press rerenders
 * little.
 */

export interface Editor {
  quizId: string;
  session: EditorSession;
  ui: UiStore;
}

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (editor === null) throw new Error("there is no editor here");
  return editor;
}

/** @param select must return the same object as long as nothing in it changed */
export function useSession<Value>(select: (state: EditorState) => Value): Value {
  const { session } = useEditor();
  return useSyncExternalStore(session.subscribe, () => select(session.state));
}

export function useUi<Value>(select: (state: UiState) => Value): Value {
  const { ui } = useEditor();
  return useSyncExternalStore(ui.subscribe, () => select(ui.state));
}

export const useDocument = <Value,>(select: (document: QuizDocument) => Value): Value =>
  useSession((state) => select(state.history.document));

/** Keeps a derived value's identity while its content is the same, so that components that show it do not rerender. */
export function useSame<Value>(value: Value): Value {
  const previous = useRef(value);
  if (previous.current !== value && JSON.stringify(previous.current) !== JSON.stringify(value))
    previous.current = value;
  return previous.current;
}

export const useReadOnly = (): boolean => useSession(({ save }) => save.kind === "assistant");

/** The value of a field; the caller knows its type from the path. */
export const useValue = <Value,>(path: Path): Value | undefined =>
  useDocument((document) => valueAt(document, path) as Value | undefined);

export function useSet(path: Path, said?: string): (value: unknown) => void {
  const { session } = useEditor();
  const key = JSON.stringify(path);
  return useCallback(
    (value: unknown) => session.edit(setField(session.document, JSON.parse(key) as Path, value, said)),
    [session, key, said],
  );
}

/** Applies an edit made from the current document. */
export function useEdit(): (make: (document: QuizDocument, session: EditorSession) => Edit) => void {
  const { session } = useEditor();
  return useCallback((make) => session.edit(make(session.document, session)), [session]);
}

/** The first finding of each path: fields look theirs up on every key press, and a grid has thousands of fields. */
const firstByPath = new WeakMap<readonly Finding[], ReadonlyMap<string, Finding>>();

function byPath(findings: readonly Finding[]): ReadonlyMap<string, Finding> {
  const known = firstByPath.get(findings) ?? new Map(findings.toReversed().map((finding) => [finding.path, finding]));
  firstByPath.set(findings, known);
  return known;
}

export const useFinding = (path: Path): Finding | null => {
  const name = path.join(".");
  return useSession(({ findings }) => byPath(findings).get(name) ?? null);
};

/** The findings at several paths; the map stays the same object while they do. */
export function useFindings(paths: readonly string[]): ReadonlyMap<string, Finding> {
  const { session } = useEditor();
  const found = useSession(({ findings }) => {
    const known = byPath(findings);
    return known.size === 0
      ? ""
      : paths
          .map((path) => known.get(path)?.message ?? "")
          .join("\n")
          .trim();
  });
  return useMemo(() => {
    const known = found === "" ? new Map<string, Finding>() : byPath(session.state.findings);
    return new Map([...known].filter(([path]) => paths.includes(path)));
  }, [found, paths, session]);
}

export function useGoTo(): (path: string) => void {
  const { session, ui } = useEditor();
  return useCallback((path) => ui.goTo(locate(session.document, path)), [session, ui]);
}

export interface Catalog {
  store: { name: string; currency: string };
  products: ReadonlyMap<string, CatalogProduct>;
  /** the address from which the editor loads a picture; the document keeps the original */
  shown: (address: string) => string;
}

export const emptyCatalog: Catalog = {
  store: { name: "", currency: "USD" },
  products: new Map(),
  shown: (address) => address,
};

/** The products that the document names, as far as the shop has them. */
export const CatalogContext = createContext<Catalog>(emptyCatalog);
export const useCatalog = (): Catalog => useContext(CatalogContext);
