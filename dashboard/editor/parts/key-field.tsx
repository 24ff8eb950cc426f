import { useId, useState } from "react";
import { bounds } from "../../../engine/document.ts";
import { useEditor, useFinding, useReadOnly, useSession, useValue } from "../context.tsx";
import type { Path } from "../document/change.ts";
import { saidOf } from "../document/finding-words.ts";
import { isTaken, renameKey } from "../document/rename.ts";
import { placeOf, selectionAt } from "../locate.ts";
import { fieldName } from "./fields.tsx";

/**
 * The key by which a document and its figures identify a thing [editor.keys]. It is applied only when typing is
 * finished: references are renamed with it, and each half-typed word would be a key.
 */
export function KeyField({ path, label, description }: { path: Path; label: string; description?: string }) {
  const { session, ui } = useEditor();
  const id = useId();
  const value = useValue<string>(path) ?? "";
  const finding = useFinding(path);
  const readOnly = useReadOnly();
  const [typed, setTyped] = useState<string | null>(null);
  const wrong = typed === null ? null : wrongWith(typed.trim());
  const error = wrong ?? (finding && typed === null ? saidOf(finding) : null);
  function wrongWith(key: string): string | null {
    if (key === value) return null;
    if (key === "" || key.length > bounds.key) return `A key has 1 to ${bounds.key} characters`;
    return isTaken(session.document, path, key) ? "Something else has this key already" : null;
  }
  const take = (): void => {
    if (typed === null || wrong !== null) return;
    // keep the selection, whose key has changed
    const { page, component } = placeOf(session.document, ui.state.selection);
    session.edit(renameKey(session.document, path, typed.trim()));
    if (page !== -1) ui.select(selectionAt(session.document, page, component === -1 ? null : component));
    setTyped(null);
  };
  return (
    <label className="qs-ed-native">
      {label}
      <input
        type="text"
        className="qs-mono"
        autoComplete="off"
        spellCheck={false}
        data-field={fieldName(path)}
        aria-invalid={error !== null}
        aria-describedby={error === null ? undefined : id}
        readOnly={readOnly}
        value={typed ?? value}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === "Enter") take();
          else if (event.key === "Escape") setTyped(null);
        }}
      />
      {error !== null && (
        <span id={id} className="qs-ed-error" role="alert">
          {error}
        </span>
      )}
      {description !== undefined && <small>{description}</small>}
    </label>
  );
}

interface AdvancedProps {
  title?: string;
  /** the key's name and the path of its field; for several keys, the path of their list */
  keys: { at: string; name: string | readonly string[] };
  /** whether it is open at first */
  open?: boolean;
  children: React.ReactNode;
}

/** Keys and the like are rarely needed: they are collapsed until somebody opens them or the lint has a finding about them. */
export function Advanced({ title = "Advanced", keys, open = false, children }: AdvancedProps) {
  const isFlawed = useSession(({ findings }) =>
    findings.some(
      ({ path }) => path.startsWith(`${keys.at}.`) && [keys.name].flat().some((name) => path.endsWith(`.${name}`)),
    ),
  );
  const [isOpen, setOpen] = useState(open);
  if (isFlawed && !isOpen) setOpen(true);
  return (
    <details className="qs-ed-texts" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      <div className="qs-ed-form">{children}</div>
    </details>
  );
}
