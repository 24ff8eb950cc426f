import { Alert, Button, Group, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import type { Page } from "../../../engine/document.ts";
import {
  useDocument,
  useEdit,
  useEditor,
  useFinding,
  useGoTo,
  useReadOnly,
  useSession,
  useUi,
  useValue,
} from "../context.tsx";
import { addPage, setPageKind } from "../document/edits.ts";
import { saidOf } from "../document/finding-words.ts";
import { addJump } from "../document/logic-edits.ts";
import { waysPast } from "../document/lost-page.ts";
import { nextField } from "../document/next-field.ts";
import { nameResult } from "../document/results.ts";
import { fieldsAround, placeOf, selectionAt } from "../locate.ts";
import { ComponentProperties } from "./component-properties.tsx";
import { ConditionForm } from "./condition-form.tsx";
import { FlagField, fieldName, NativeField, TextField } from "./fields.tsx";
import { Advanced, KeyField } from "./key-field.tsx";
import { pageKindNames } from "./kinds.ts";
import { OutcomeField } from "./outcome-field.tsx";
import { PictureField } from "./picture-field.tsx";

/** The properties of the selected page or component. */
export function Properties() {
  const selection = useUi((state) => state.selection);
  const at = useDocument((document) => {
    const { page, component } = placeOf(document, selection);
    return `${page} ${component}`;
  });
  const [page = -1, component = -1] = at.split(" ").map(Number);
  const { session } = useEditor();
  const goTo = useGoTo();
  const onKey = (event: React.KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    const field = event.target instanceof HTMLElement ? event.target.dataset["field"] : undefined;
    const next = field === undefined ? null : nextField(session.document, field);
    if (next === null) return;
    event.preventDefault();
    goTo(next);
  };
  return (
    <section className="qs-ed-properties" aria-label="Properties" onKeyDown={onKey}>
      {page === -1 ? (
        <Text size="sm" c="dimmed">
          Select a page, or something on it, to change it here.
        </Text>
      ) : component === -1 ? (
        <PageProperties page={page} />
      ) : (
        <ComponentProperties place={{ page, component }} />
      )}
    </section>
  );
}

const kinds = (Object.keys(pageKindNames) as Page["kind"][]).map((value) => ({ value, label: pageKindNames[value] }));

function PageProperties({ page }: { page: number }) {
  const kind = useDocument((document) => document.pages[page]?.kind);
  const at = ["pages", page];
  return (
    <div className="qs-ed-form" data-field={`pages.${page}`} tabIndex={-1}>
      <h2>Page</h2>
      <PageFindings page={page} />
      <TextField path={[...at, "title"]} label="Title" make={nameResult} />
      {kind === "result" && (
        <TextField
          path={[...at, "headline"]}
          label="Headline"
          empty="left out"
          description="Above the result, in place of the title"
        />
      )}
      <TextField path={[...at, "subtitle"]} label="Subtitle" empty="left out" />
      <PictureField path={[...at, "image_url"]} label="Picture" empty="left out" />
      {kind !== "result" && (
        <TextField
          path={[...at, "next_label"]}
          label="Button text"
          empty="left out"
          description="On the button that leads on; empty for the player’s own"
        />
      )}
      <KindField page={page} />
      {kind === "result" && <OutcomeField page={page} />}
      {kind !== "result" && <FlagField path={[...at, "skippable"]} label="May be skipped" />}
      <ConditionForm path={[...at, "visible_when"]} label="Shown when" none="Everybody sees this page." />
      <PageJumps page={page} />
      <Advanced keys={{ at: fieldName(at), name: "page_key" }}>
        <KeyField
          path={[...at, "page_key"]}
          label="Key"
          description="Jumps follow a new key; figures know the page by it, and begin anew."
        />
      </Advanced>
    </div>
  );
}

function KindField({ page }: { page: number }) {
  const path = ["pages", page, "kind"];
  const { session, ui } = useEditor();
  const kind = useValue<Page["kind"]>(path) ?? "question";
  const finding = useFinding(path);
  const readOnly = useReadOnly();
  const change = (next: string): void => {
    const known = kinds.find(({ value }) => value === next);
    const before = session.document.pages[page];
    if (!known || !before) return;
    const key = session.keyForKind(before.page_key, known.value);
    session.edit(setPageKind(session.document, page, known.value, key));
    ui.select(selectionAt(session.document, page));
  };
  return (
    <NativeField
      label="Kind"
      data-field={fieldName(path)}
      error={finding ? saidOf(finding) : undefined}
      disabled={readOnly}
      value={kind}
      data={kinds}
      onChange={change}
    />
  );
}

/** The findings about the page itself. */
function PageFindings({ page }: { page: number }) {
  const findings = useSession((state) => state.findings);
  const own = findings.filter(({ path }) => path === `pages.${page}`);
  return own.map((finding) => (
    <Alert key={finding.code} color={finding.severity === "error" ? "red" : "yellow"} variant="light" p="xs">
      {saidOf(finding)}
      {finding.code === "unreachable_page" && <WaysPast page={page} />}
      {finding.code === "ends_without_result" && <ResultForAll />}
    </Alert>
  ));
}

/** Offers to add a page for shoppers who get no result. */
function ResultForAll() {
  const edit = useEdit();
  const { session, ui } = useEditor();
  const add = (): void => {
    const keys = session.keys();
    edit((document) => addPage(document, keys, "result"));
    const last = session.document.pages.length - 1;
    ui.goTo({ tab: "build", selection: selectionAt(session.document, last), field: `pages.${last}.title` });
  };
  return (
    <Button size="compact-sm" variant="default" mt={4} display="block" onClick={add}>
      Add a result for everybody else
    </Button>
  );
}

/** For an unreachable page: links to the jumps and the result page that cause it. */
function WaysPast({ page }: { page: number }) {
  const goTo = useGoTo();
  const document = useDocument((whole) => whole);
  const { jumps, result } = waysPast(document, page);
  return (
    <Group gap="xs" mt={4}>
      {jumps.map((jump) => (
        <Button
          key={jump}
          size="compact-sm"
          variant="default"
          onClick={() => goTo(`jump_rules.${jump}.target_page_key`)}
        >
          Jump {jump + 1} leads past it
        </Button>
      ))}
      {result !== null && (
        <Button size="compact-sm" variant="default" onClick={() => goTo(`pages.${result}.kind`)}>
          The quiz ends on page {result + 1}
        </Button>
      )}
    </Group>
  );
}

function PageJumps({ page }: { page: number }) {
  const edit = useEdit();
  const { session, ui } = useEditor();
  const key = useDocument((document) => document.pages[page]?.page_key ?? "");
  const count = useDocument((document) => document.jump_rules.filter((rule) => rule.source_page_key === key).length);
  const add = (): void => {
    const keys = session.keys();
    edit((document) => addJump(document, keys, key));
    const at = session.document.jump_rules.length - 1;
    ui.goTo({ tab: "logic", selection: null, field: `jump_rules.${at}.target_page_key` });
  };
  return (
    <Group gap="xs">
      <Text size="sm">
        {count === 0
          ? "No jump leaves this page."
          : `${count === 1 ? "1 jump leaves" : `${count} jumps leave`} this page.`}
      </Text>
      <Button size="compact-sm" variant="subtle" onClick={add}>
        Add a jump
      </Button>
      {count > 0 && (
        <Button size="compact-sm" variant="subtle" onClick={() => ui.set({ tab: "logic" })}>
          Show
        </Button>
      )}
    </Group>
  );
}

/**
 * Focuses a requested field once it is rendered. One that is not there soon is on its way or does not exist: the nearest
 * around it has the focus meanwhile, unless somebody goes on from there.
 */
export function FocusRequested({ within }: { within: React.RefObject<HTMLElement | null> }) {
  const focusRequest = useUi((state) => state.focusRequest);
  const done = useRef(0);
  useEffect(() => {
    if (focusRequest === null || focusRequest.at === done.current) return;
    let timer = 0;
    let waited = 0;
    let nearest: HTMLElement | null = null;
    const show = (field: HTMLElement): void => {
      done.current = focusRequest.at;
      field.focus();
      field.scrollIntoView({ block: "center" });
    };
    const look = (): void => {
      const exact = fieldIn(within.current, [focusRequest.field]);
      if (exact !== null) show(exact);
      else if (nearest === null && waited >= patienceMs.nearest) {
        nearest = fieldIn(within.current, fieldsBeyond(focusRequest.field));
        if (nearest !== null) show(nearest);
      }
      waited += patienceMs.step;
      if (exact === null && waited < patienceMs.longest) timer = window.setTimeout(look, patienceMs.step);
    };
    const stop = (): void => clearTimeout(timer);
    look();
    for (const act of acts) addEventListener(act, stop);
    return () => {
      stop();
      for (const act of acts) removeEventListener(act, stop);
    };
  }, [focusRequest, within]);
  return null;
}

const patienceMs = { step: 50, nearest: 300, longest: 8_000 } as const;
/** with which somebody goes on */
const acts = ["keydown", "pointerdown"] as const;
const fields = "input,textarea,select,button,[tabindex]";

/** The outermost names cover the whole document, which is no useful target. */
const fieldsBeyond = (name: string): string[] =>
  fieldsAround(name).filter((field) => field !== name && field.includes("."));

/** The first of these fields that can be seen. */
function fieldIn(root: HTMLElement | null, names: readonly string[]): HTMLElement | null {
  for (const field of names) {
    const around = root?.querySelector<HTMLElement>(`[data-field="${CSS.escape(field)}"]`);
    if (!around) continue;
    const found = around.matches(fields) ? around : (around.querySelector<HTMLElement>(fields) ?? around);
    const folded = found.closest("details");
    if (folded) folded.open = true;
    // on a phone, a different pane may be visible
    if (found.checkVisibility()) return found;
  }
  return null;
}
