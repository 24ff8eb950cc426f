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

/** What every part of the editor's screen works on. Parts read as little as they show, so that a key redraws little. */

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

/** @param select gives the same object while nothing of it changed */
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

/** What was worked out of the document: the same object as long as it says the same, so that what shows it is not drawn anew. */
export function useSame<Value>(value: Value): Value {
  const kept = useRef(value);
  if (kept.current !== value && JSON.stringify(kept.current) !== JSON.stringify(value)) kept.current = value;
  return kept.current;
}

export const useReadOnly = (): boolean => useSession(({ save }) => save.kind === "assistant");

/** A field's value, whatever its type: the caller knows it by the field's place. */
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

/** Does something to the document as it is now. */
export function useEdit(): (make: (document: QuizDocument, session: EditorSession) => Edit) => void {
  const { session } = useEditor();
  return useCallback((make) => session.edit(make(session.document, session)), [session]);
}

/** The first of each path: fields look theirs up at every key, and a grid has thousands of them. */
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

/** The findings of several paths, as long as they are the same. */
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
  /** the address by which a picture is shown here; in the document it stays as it is */
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
