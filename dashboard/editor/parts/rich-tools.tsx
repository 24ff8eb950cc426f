import { Button, Group, TextInput } from "@mantine/core";
import { useRef, useState } from "react";
import { linkAddress } from "./rich-html.ts";

/**
 * Formatting tools for text and paragraphs: mouse, keyboard shortcuts in the text, and arrow keys between the buttons.
 */

const tools = [
  { tool: "bold", label: "Bold", sign: "B", key: "b" },
  { tool: "italic", label: "Italic", sign: "I", key: "i" },
  { tool: "underline", label: "Underlined", sign: "U", key: "u" },
  { tool: "link", label: "Link", sign: "Link", key: "k" },
  { tool: "bullets", label: "List with dots", sign: "Dots", key: "Shift8" },
  { tool: "numbers", label: "List with numbers", sign: "Numbers", key: "Shift7" },
  { tool: "heading", label: "Heading", sign: "Heading", key: "Shift2" },
] as const;
export type Tool = (typeof tools)[number]["tool"];

export interface RichTool {
  /** the formatting at the cursor */
  active: ReadonlySet<Tool>;
  use(tool: Tool, address?: string): void;
  /** the address of the link at the cursor; null: the link form is closed */
  link: string | null;
  askLink(address: string | null): void;
}

/** By physical key: with Shift the character differs between keyboard layouts. */
export function toolOfKey(event: React.KeyboardEvent): Tool | null {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return null;
  const digit = /^Digit(\d)$/.exec(event.code)?.[1];
  const key = event.shiftKey ? `Shift${digit ?? event.key}` : event.key.toLowerCase();
  return tools.find((shortcut) => shortcut.key === key)?.tool ?? null;
}

interface RichToolsProps {
  tool: RichTool;
  disabled: boolean;
  /** the field's label */
  of: string;
}

export function RichTools({ tool, disabled, of }: RichToolsProps) {
  const [entry, setEntry] = useState<Tool>("bold");
  const bar = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const at = tools.findIndex((candidate) => candidate.tool === entry);
    const steps: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tools.length - 1 };
    const next = tools[((steps[event.key] ?? Number.NaN) + tools.length) % tools.length];
    if (!next) return;
    event.preventDefault();
    setEntry(next.tool);
    bar.current?.querySelector<HTMLElement>(`[data-tool="${next.tool}"]`)?.focus();
  };
  return (
    <>
      <div ref={bar} role="toolbar" aria-label={`Looks of ${of}`} className="qs-ed-rich-tools" onKeyDown={onKeyDown}>
        {tools.map(({ tool: name, label, sign }) => (
          <Button
            key={name}
            size="compact-xs"
            variant={tool.active.has(name) ? "filled" : "default"}
            disabled={disabled}
            data-tool={name}
            tabIndex={name === entry ? 0 : -1}
            aria-label={label}
            aria-pressed={tool.active.has(name)}
            // keeps the selection in the text
            onMouseDown={(event) => event.preventDefault()}
            onFocus={() => setEntry(name)}
            onClick={() => tool.use(name)}
          >
            {sign}
          </Button>
        ))}
      </div>
      {tool.link !== null && <LinkForm initial={tool.link} tool={tool} />}
    </>
  );
}

function LinkForm({ initial, tool }: { initial: string; tool: RichTool }) {
  const [typed, setTyped] = useState(initial);
  const [isWrong, setWrong] = useState(false);
  const set = (): void => {
    const address = typed.trim() === "" ? "" : linkAddress(typed);
    setWrong(address === null);
    if (address !== null) tool.use("link", address);
  };
  return (
    <Group gap="xs" align="flex-end" className="qs-ed-rich-link">
      <TextInput
        className="qs-grow"
        size="xs"
        label="Where the link leads"
        placeholder="https://…"
        data-autofocus
        autoFocus
        error={isWrong ? "A link leads to http, https or mailto" : undefined}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") set();
          else if (event.key === "Escape") tool.askLink(null);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <Button size="xs" variant="default" onClick={set}>
        {typed.trim() === "" && initial !== "" ? "Take the link away" : "Set the link"}
      </Button>
    </Group>
  );
}
