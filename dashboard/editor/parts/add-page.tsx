import { Button, Group, Menu, Text } from "@mantine/core";
import { useRef, useState } from "react";
import { IconPlus } from "../../ui/icons.tsx";
import { useDocument, useEdit, useEditor, useReadOnly } from "../context.tsx";
import { addNewPage, type NewPage } from "../document/add-pages.ts";
import { isForAll } from "../document/results.ts";
import { selectionAt } from "../locate.ts";
import { EditorMenu } from "./editor-menu.tsx";
import { kindNames, questionKinds } from "./kinds.ts";

/** Ways to add a page: where its kind belongs, or between two pages [editor.add-pages]. */

/** Adds a page and goes to its title. */
export function useAddPage(): (wanted: NewPage, at?: number) => void {
  const edit = useEdit();
  const { session, ui } = useEditor();
  return (wanted, at) => {
    if (session.isReadOnly) return;
    const added = addNewPage(session.document, session.keys(), wanted, at);
    edit(() => added.edit);
    if (!session.document.pages[added.at]) return;
    const field = `pages.${added.at}.title`;
    ui.goTo({ tab: "build", selection: selectionAt(session.document, added.at), field });
  };
}

/** Below the list of pages. */
export function AddPage() {
  const add = useAddPage();
  const readOnly = useReadOnly();
  const isEmpty = useDocument(({ pages }) => pages.length === 0);
  const hasResultForAll = useDocument(({ pages }) => pages.some(isForAll));
  const button = { size: "compact-sm", variant: "default", disabled: readOnly, leftSection: <IconPlus /> } as const;
  return (
    <>
      {isEmpty && (
        <div className="qs-ed-invite">
          <Text fw={600}>Begin with a question</Text>
          <Text size="sm" c="dimmed">
            Ask what matters for the choice, then add a result for each kind of shopper. Each page appears here in the
            order in which shoppers see it.
          </Text>
        </div>
      )}
      <Group gap={6} className="qs-ed-add" data-field="pages">
        <EditorMenu
          button={
            <Button {...button} variant={isEmpty ? "filled" : "default"}>
              Question
            </Button>
          }
        >
          <QuestionItems add={add} />
        </EditorMenu>
        <Button {...button} onClick={() => add({ kind: "content" })}>
          Text page
        </Button>
        <Button
          {...button}
          title="With points, and a page that those see for whom it wins"
          onClick={() => add({ kind: "result" })}
        >
          Result
        </Button>
        {!hasResultForAll && (
          <Button {...button} onClick={() => add({ kind: "result for everybody" })}>
            Result for everybody
          </Button>
        )}
      </Group>
    </>
  );
}

function QuestionItems({ add }: { add: (wanted: NewPage) => void }) {
  return (
    <>
      {questionKinds.map((kind) => (
        <Menu.Item key={kind} onClick={() => add({ kind: "question", component: kind })}>
          {kindNames[kind]}
        </Menu.Item>
      ))}
      <Menu.Divider />
      <Menu.Item onClick={() => add({ kind: "question", component: null })}>Empty page</Menu.Item>
    </>
  );
}

/** A button between two pages; its menu is built when it is opened, since a quiz may have two hundred of them. */
export function AddBetween({ at, name }: { at: number; name: string }) {
  const [isOpen, setOpen] = useState(false);
  const addTo = useAddPage();
  const readOnly = useReadOnly();
  const place = useRef<HTMLButtonElement>(null);
  const add = (wanted: NewPage): void => addTo(wanted, at);
  const change = (isNow: boolean): void => {
    setOpen(isNow);
    // the button is drawn anew without its menu; whatever else has the focus by then keeps it
    if (!isNow) setTimeout(() => document.activeElement === document.body && place.current?.focus());
  };
  const button = (
    <button
      ref={place}
      type="button"
      className="qs-ed-between"
      data-open={isOpen || undefined}
      disabled={readOnly}
      aria-label={`Add a page before ${name}`}
      aria-haspopup="menu"
      onClick={() => setOpen(true)}
    >
      <span>
        <IconPlus />
      </span>
    </button>
  );
  if (!isOpen) return button;
  return (
    <EditorMenu opened onChange={change} button={button}>
      <QuestionItems add={add} />
      <Menu.Item onClick={() => add({ kind: "content" })}>Text page</Menu.Item>
      <Menu.Item onClick={() => add({ kind: "result" })}>Result</Menu.Item>
    </EditorMenu>
  );
}
