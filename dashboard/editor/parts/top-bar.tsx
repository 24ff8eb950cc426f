import { ActionIcon, Badge, Button, Group, Popover, Tabs, TextInput } from "@mantine/core";
import { Suspense, useRef, useState } from "react";
import { latePart } from "../../app/late.tsx";
import { IconRedo, IconUndo } from "../../ui/icons.tsx";
import { useEditor, useReadOnly, useSession } from "../context.tsx";
import { type Tab, tabs } from "../locate.ts";
import { FindingsList } from "./findings-list.tsx";
import { QuizMenu } from "./quiz-menu.tsx";
import { SaveNote } from "./save-note.tsx";

const PublishDialog = latePart(() => import("../dialogs/publish-dialog.tsx"), "PublishDialog");

const tabNames: Readonly<Record<Tab, string>> = {
  build: "Build",
  logic: "Logic",
  points: "Points and data",
  look: "Look and texts",
  history: "History",
};

/** Controls for the whole quiz: its name, the save state, undo, the lint, publishing. */
export function TopBar() {
  const [isPublishing, setPublishing] = useState(false);
  return (
    <header className="qs-ed-top">
      <div className="qs-ed-bar">
        <NameField />
        <SaveNote />
        <div className="qs-grow" />
        <UndoButtons />
        <Findings />
        <QuizMenu />
        <Button size="sm" onClick={() => setPublishing(true)}>
          Publish
        </Button>
      </div>
      <Tabs.List aria-label="Parts of the quiz">
        {tabs.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {tabNames[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {isPublishing && (
        <Suspense>
          <PublishDialog close={() => setPublishing(false)} />
        </Suspense>
      )}
    </header>
  );
}

function NameField() {
  const { session } = useEditor();
  const name = useSession((state) => state.name);
  const readOnly = useReadOnly();
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      aria-label="Name of the quiz"
      className="qs-ed-name"
      maxLength={200}
      readOnly={readOnly}
      error={typed !== null && typed.trim() === "" ? "A quiz has a name" : undefined}
      value={typed ?? name}
      onChange={(event) => {
        const next = event.currentTarget.value;
        setTyped(next);
        if (next.trim() !== "") session.rename(next.trim());
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

function UndoButtons() {
  const { session } = useEditor();
  const readOnly = useReadOnly();
  const last = useSession(({ history }) => history.done.at(-1)?.said ?? null);
  const next = useSession(({ history }) => history.undone.at(-1)?.said ?? null);
  return (
    <Group gap={2}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        disabled={last === null || readOnly}
        aria-label={last === null ? "Undo" : `Undo: ${last}`}
        title="Undo (Ctrl Z)"
        onClick={() => session.undo()}
      >
        <IconUndo />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        disabled={next === null || readOnly}
        aria-label={next === null ? "Redo" : `Redo: ${next}`}
        title="Redo (Ctrl Shift Z)"
        onClick={() => session.redo()}
      >
        <IconRedo />
      </ActionIcon>
    </Group>
  );
}

function Findings() {
  const findings = useSession((state) => state.findings);
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const text = findings.length === 0 ? "No issues" : findings.length === 1 ? "1 issue" : `${findings.length} issues`;
  return (
    <Popover
      opened={isOpen}
      onChange={(next) => {
        setOpen(next);
        button.current?.focus();
      }}
      width={420}
      position="bottom-end"
      returnFocus={false}
      withinPortal={false}
      // if it were reopened during a fade-out, it would vanish a moment later
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <Button
          ref={button}
          size="sm"
          variant="default"
          aria-expanded={isOpen}
          aria-label={text}
          onClick={() => setOpen(!isOpen)}
          // Escape closes the list when the focus is in it
          onKeyDown={(event) => event.key === "Escape" && setOpen(false)}
          rightSection={errors > 0 ? <Badge color="red">{errors}</Badge> : undefined}
        >
          <span className="qs-ed-long">{text}</span>
          {/* a phone's bar has no room for the text */}
          <span className="qs-ed-short" aria-hidden="true">
            {findings.length === 0 ? "✓" : findings.length}
          </span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Issues">
        <FindingsList onGo={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}
