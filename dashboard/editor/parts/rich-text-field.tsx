import { Switch, Text } from "@mantine/core";
import { type RefObject, useEffect, useId, useRef, useState } from "react";
import { useEditor, useFinding, useReadOnly, useSession, useSet, useValue } from "../context.tsx";
import { type Path, valueAt } from "../document/change.ts";
import { saidOf } from "../document/finding-words.ts";
import { fieldName, TextField } from "./fields.tsx";
import { htmlOfText, type RichHtml, richHtml, richHtmlOf } from "./rich-html.ts";
import { type RichTool, RichTools, type Tool, toolOfKey } from "./rich-tools.tsx";

/**
 * A text with HTML, edited as it will look or as source [editor.rich-text]. Unsupported elements are dropped when
 * pasted, and removed by the server; the field reports both.
 */
export function RichTextField({ path, label }: { path: Path; label: string }) {
  const [isSource, setSource] = useState(false);
  const [pasted, setPasted] = useState<readonly string[]>([]);
  const name = fieldName(path);
  const removed = useSession(({ findings }) =>
    findings.find((finding) => finding.path === name && finding.code === "html_removed"),
  );
  return (
    <div className="qs-ed-rich">
      {isSource ? (
        <TextField
          path={path}
          label={label}
          lines={6}
          mono
          description="HTML: p, strong, em, u, a, lists, h2 to h4, blockquote, img"
        />
      ) : (
        <RichArea path={path} label={label} onPasted={setPasted} />
      )}
      <Switch
        size="xs"
        label="Edit as HTML"
        checked={isSource}
        onChange={({ currentTarget }) => setSource(currentTarget.checked)}
      />
      <div role="status">
        {pasted.length > 0 && (
          <Text size="sm">Left out of what was pasted, since a quiz may not hold it: {pasted.join(", ")}</Text>
        )}
        {removed && <Text size="sm">Taken out of this text: it {removed.message}</Text>}
      </div>
    </div>
  );
}

interface RichAreaProps {
  path: Path;
  label: string;
  onPasted: (removed: readonly string[]) => void;
}

function RichArea({ path, label, onPasted }: RichAreaProps) {
  const id = useId();
  const field = useRef<HTMLDivElement>(null);
  const readOnly = useReadOnly();
  const finding = useFinding(path);
  const take = useShown(path, field);
  const tool = useTool(field, take);
  const onPaste = (event: React.ClipboardEvent): void => {
    event.preventDefault();
    const { html, removed } = clipped(event.clipboardData);
    onPasted(removed.map((element) => `<${element}>`));
    const { current: area } = field;
    // browsers put the first of several paragraphs into an empty one and keep the kind of the empty one
    if (area !== null && richHtmlOf(area).html === "") {
      area.innerHTML = html;
      document.getSelection()?.selectAllChildren(area);
      document.getSelection()?.collapseToEnd();
    } else document.execCommand("insertHTML", false, html);
    take();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const pressed = toolOfKey(event);
    if (pressed === null) return;
    event.preventDefault();
    // elsewhere Ctrl+K opens the command menu
    event.stopPropagation();
    tool.use(pressed);
  };
  return (
    <>
      <span id={`${id}-label`} className="qs-ed-rich-label">
        {label}
      </span>
      <RichTools tool={tool} disabled={readOnly} of={label} />
      {/* biome-ignore lint/a11y/useSemanticElements: no field of a browser's own has letters of several kinds */}
      <div
        ref={field}
        className="qs-ed-rich-area"
        role="textbox"
        tabIndex={0}
        aria-multiline="true"
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-keys`}
        aria-readonly={readOnly}
        aria-invalid={finding?.severity === "error"}
        data-field={fieldName(path)}
        contentEditable={!readOnly}
        onInput={take}
        onPaste={onPaste}
        onDrop={(event) => event.preventDefault()}
        onKeyDown={onKeyDown}
        onFocus={() => document.execCommand("defaultParagraphSeparator", false, "p")}
      />
      <small id={`${id}-keys`} className="qs-ed-rich-keys">
        Ctrl B bold, Ctrl I italic, Ctrl U underlined, Ctrl K link, Ctrl Shift 8 and 7 lists
      </small>
      {finding && finding.code !== "html_removed" && <span className="qs-ed-error">{saidOf(finding)}</span>}
    </>
  );
}

/** Updates the area when the document's text changes elsewhere, without disturbing somebody who is typing. */
function useShown(path: Path, field: RefObject<HTMLDivElement | null>): () => void {
  const { session } = useEditor();
  const drawn = useValue<string>(path) ?? "";
  const set = useSet(path, "change a text");
  const shown = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again whenever another text was drawn
  useEffect(() => {
    const area = field.current;
    // the document already has what was typed since
    const value = String(valueAt(session.document, path) ?? "");
    if (area === null || shown.current === value) return;
    const hadFocus = area === document.activeElement;
    area.innerHTML = richHtml(value).html;
    shown.current = value;
    // after undo, or when the server removed HTML
    if (hadFocus) document.getSelection()?.selectAllChildren(area);
    if (hadFocus) document.getSelection()?.collapseToEnd();
  }, [field, drawn]);
  return () => {
    if (field.current === null) return;
    const { html } = richHtmlOf(field.current);
    shown.current = html;
    set(html);
  };
}

/** The clipboard's HTML if it has some, else its lines of text. */
function clipped(clipboard: DataTransfer): RichHtml {
  const html = clipboard.getData("text/html");
  if (html !== "") return richHtml(html);
  const text = clipboard.getData("text/plain");
  return { html: htmlOfText(text), removed: [] };
}

const commands: Readonly<Record<Exclude<Tool, "link" | "heading">, string>> = {
  bold: "bold",
  italic: "italic",
  underline: "underline",
  bullets: "insertUnorderedList",
  numbers: "insertOrderedList",
};

function useTool(field: RefObject<HTMLDivElement | null>, take: () => void): RichTool {
  const [active, setActive] = useState<ReadonlySet<Tool>>(new Set());
  const [link, setLink] = useState<string | null>(null);
  const range = useRef<Range | null>(null);
  useEffect(() => {
    const look = (): void => {
      if (noteRange(field.current, range)) setActive(activeAt(range.current?.startContainer ?? null));
    };
    document.addEventListener("selectionchange", look);
    return () => document.removeEventListener("selectionchange", look);
  }, [field]);
  const back = (): void => {
    field.current?.focus();
    if (range.current === null) return;
    document.getSelection()?.removeAllRanges();
    document.getSelection()?.addRange(range.current);
  };
  const use = (tool: Tool, address?: string): void => {
    noteRange(field.current, range);
    const needsAddress = tool === "link" && address === undefined;
    setLink(needsAddress ? (linkAt(range.current) ?? "") : null);
    if (needsAddress) return;
    back();
    document.execCommand("styleWithCSS", false, "false");
    if (tool === "link") setAddress(address ?? "", range.current);
    else if (tool === "heading") document.execCommand("formatBlock", false, active.has("heading") ? "p" : "h2");
    else document.execCommand(commands[tool]);
    take();
  };
  const askLink = (address: string | null): void => {
    setLink(address);
    if (address === null) back();
  };
  return { active, use, link, askLink };
}

/**
 * Whether the cursor is in the field. Remembers the selection, because a click on a button or another field clears it.
 */
function noteRange(field: HTMLElement | null, range: RefObject<Range | null>): boolean {
  const selection = document.getSelection();
  if (!selection?.rangeCount || !field?.contains(selection.anchorNode)) return false;
  range.current = selection.getRangeAt(0).cloneRange();
  return true;
}

function activeAt(node: Node | null): Set<Tool> {
  const found = new Set<Tool>();
  for (const tool of ["bold", "italic", "underline"] as const) if (document.queryCommandState(tool)) found.add(tool);
  const element = node instanceof Element ? node : node?.parentElement;
  const list = element?.closest("ul,ol")?.localName;
  if (list) found.add(list === "ul" ? "bullets" : "numbers");
  if (element?.closest("h2,h3,h4")) found.add("heading");
  if (element?.closest("a")) found.add("link");
  return found;
}

const anchorAt = (range: Range | null): HTMLAnchorElement | null => {
  const node = range?.startContainer;
  return (node instanceof Element ? node : (node?.parentElement ?? null))?.closest("a") ?? null;
};
const linkAt = (range: Range | null): string | null => anchorAt(range)?.getAttribute("href") ?? null;

/** "" removes the link and keeps its text. Without a selection the address itself is inserted. */
function setAddress(address: string, range: Range | null): void {
  const anchor = anchorAt(range);
  if (anchor && address !== "") anchor.setAttribute("href", address);
  else if (anchor) anchor.replaceWith(...anchor.childNodes);
  else if (address === "") return;
  else if (range?.collapsed !== false) document.execCommand("insertHTML", false, linkHtml(address));
  else document.execCommand("createLink", false, address);
}

function linkHtml(address: string): string {
  const link = document.createElement("a");
  link.href = address;
  link.textContent = address;
  return link.outerHTML;
}
