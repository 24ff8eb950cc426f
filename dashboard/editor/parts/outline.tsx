import { Button, Menu } from "@mantine/core";
import { memo, useCallback, useRef } from "react";
import { componentName, firstWords } from "../../../engine/condition-words.ts";
import type { Component, Page, ProductsComponent } from "../../../engine/document.ts";
import { IconPlus } from "../../ui/icons.tsx";
import { useDocument, useEdit, useEditor, useSession, useUi } from "../context.tsx";
import { addComponent, duplicateComponent, duplicatePage, moveComponent, movePage } from "../document/edits.ts";
import { firstField } from "../document/next-field.ts";
import { isSelected, keyOfComponent, nths, selectionAt } from "../locate.ts";
import { AddBetween, AddPage } from "./add-page.tsx";
import { EditorMenu } from "./editor-menu.tsx";
import { EntryMenu } from "./entry-menu.tsx";
import { componentKinds, kindNames, pageKindNames } from "./kinds.ts";
import { type Dragged, useDrag } from "./use-drag.ts";
import { useRemove } from "./use-remove.ts";

/** The quiz's pages and their components: select, move by mouse, keys or menu, duplicate and remove. */
export function Outline() {
  const pages = useDocument((document) => document.pages);
  const nth = nths(pages.map(({ page_key }) => page_key));
  const list = useRef<HTMLUListElement>(null);
  return (
    <nav className="qs-ed-outline" aria-label="Pages">
      <ul ref={list} onKeyDown={(event) => walk(list.current, event)}>
        {pages.map((page, index) => (
          <PageRow
            key={`${page.page_key} ${nth[index]}`}
            page={page}
            nth={nth[index] ?? 0}
            index={index}
            count={pages.length}
          />
        ))}
      </ul>
      <AddPage />
    </nav>
  );
}

/** Arrow keys, Home and End move from row to row. */
function walk(list: HTMLElement | null, event: React.KeyboardEvent): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const rows = [...(list?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  if (at === -1) return;
  const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 };
  const next = steps[event.key];
  if (next === undefined) return;
  event.preventDefault();
  rows[Math.max(0, Math.min(rows.length - 1, next))]?.focus();
}

interface PageRowProps {
  page: Page;
  /** index among pages with the same key */
  nth: number;
  index: number;
  count: number;
}

const PageRow = memo(function PageRow({ page, nth, index, count }: PageRowProps) {
  const edit = useEdit();
  const remove = useRemove();
  const act = useRowActs({ page: page.page_key, pageNth: nth, component: null, componentNth: 0 });
  const inside = nths(page.components.map(keyOfComponent));
  const move = useCallback((to: number) => edit((document) => movePage(document, index, to)), [edit, index]);
  const drop = useCallback(
    ({ sort, place: [from = 0, component = 0] }: Dragged, behind: boolean) => {
      if (sort === "page") edit((document) => movePage(document, from, landing(from, index, behind)));
      else edit((document) => moveComponent(document, { page: from, component }, endOf(document.pages, from, index)));
    },
    [edit, index],
  );
  const row = useRef<HTMLDivElement>(null);
  const edge = useDrag(row, { sort: "page", place: [index], accepts: () => true, onDrop: drop });
  const name = firstWords(page.title, page.headline) || `Page ${index + 1}`;
  return (
    <li>
      <AddBetween at={index} name={name} />
      <Row
        {...{ row, edge, act, name }}
        note={page.visible_when === null ? "" : "only for some"}
        said={pageKindNames[page.kind]}
        flawed={`pages.${index}`}
        index={index}
        count={count}
        move={move}
        duplicate={() => edit((document, session) => duplicatePage(document, session.keys(), index))}
        remove={(done) => remove({ kind: "page", page: index }, `page ${index + 1}, "${name}"`, done)}
        prefix={`${index + 1}`}
      />
      <ul>
        {page.components.map((component, place) => (
          <ComponentRow
            key={`${keyOfComponent(component)} ${inside[place]}`}
            component={component}
            page={page.page_key}
            pageNth={nth}
            nth={inside[place] ?? 0}
            at={index}
            index={place}
            count={page.components.length}
          />
        ))}
        {act.isSelected && <AddComponent page={index} />}
      </ul>
    </li>
  );
});

/** The index at which an entry ends up when dropped before or behind another of the same list. */
const landing = (from: number, at: number, behind: boolean): number => {
  const to = behind ? at + 1 : at;
  return from < to ? to - 1 : to;
};

function endOf(pages: readonly Page[], from: number, to: number) {
  const length = pages[to]?.components.length ?? 0;
  return { page: to, component: from === to ? length - 1 : length };
}

interface ComponentRowProps {
  component: Component;
  /** index among components of the page with the same key */
  nth: number;
  page: string;
  pageNth: number;
  at: number;
  index: number;
  count: number;
}

const ComponentRow = memo(function ComponentRow({
  component,
  nth,
  page,
  pageNth,
  at,
  index,
  count,
}: ComponentRowProps) {
  const edit = useEdit();
  const remove = useRemove();
  const act = useRowActs({ page, pageNth, component: keyOfComponent(component), componentNth: nth });
  const place = { page: at, component: index };
  const move = useCallback(
    (to: number) =>
      edit((document) => moveComponent(document, { page: at, component: index }, { page: at, component: to })),
    [edit, at, index],
  );
  const drop = useCallback(
    ({ place: [fromPage = 0, from = 0] }: Dragged, behind: boolean) => {
      const to = fromPage === at ? landing(from, index, behind) : index + (behind ? 1 : 0);
      edit((document) => moveComponent(document, { page: fromPage, component: from }, { page: at, component: to }));
    },
    [edit, at, index],
  );
  const row = useRef<HTMLDivElement>(null);
  const edge = useDrag(row, {
    sort: "component",
    place: [at, index],
    accepts: (sort) => sort === "component",
    onDrop: drop,
  });
  const name = component.kind === "products" ? productsIn(component) : componentName(component);
  return (
    <li>
      <Row
        {...{ row, edge, act, name }}
        note={kindNames[component.kind]}
        said=""
        flawed={`pages.${at}.components.${index}`}
        index={index}
        count={count}
        move={move}
        duplicate={() => edit((document, session) => duplicateComponent(document, session.keys(), place))}
        remove={(done) => remove({ kind: "component", place }, `"${name}"`, done)}
      />
    </li>
  );
});

/** A products block has no name, and its key means nothing to the author, so it shows its products. */
const productsIn = (block: ProductsComponent): string =>
  block.source === "rules" ? "Products by rule" : pickedIn(block.products.length);
const pickedIn = (length: number): string =>
  length === 0 ? "No products yet" : length === 1 ? "1 product" : `${length} products`;

function AddComponent({ page }: { page: number }) {
  const edit = useEdit();
  const { session, ui } = useEditor();
  const add = (kind: Component["kind"]): void => {
    const keys = session.keys();
    edit((document) => addComponent(document, keys, page, kind));
    const found = session.document.pages[page];
    const made = found?.components.at(-1);
    if (!found || !made) return;
    const last = found.components.length - 1;
    const path = `pages.${page}.components.${last}.${firstField(made)}`;
    ui.goTo({ tab: "build", selection: selectionAt(session.document, page, last), field: path });
  };
  return (
    <li data-field={`pages.${page}.components`}>
      <EditorMenu
        button={
          <Button size="compact-xs" variant="subtle" leftSection={<IconPlus />}>
            Add to this page
          </Button>
        }
      >
        {componentKinds.map((kind) => (
          <Menu.Item key={kind} onClick={() => add(kind)}>
            {kindNames[kind]}
          </Menu.Item>
        ))}
      </EditorMenu>
    </li>
  );
}

interface RowActs {
  isSelected: boolean;
  /** selects the page, not a component on it */
  select: () => void;
}

interface Selected {
  page: string;
  pageNth: number;
  component: string | null;
  componentNth: number;
}

function useRowActs({ page, pageNth, component, componentNth }: Selected): RowActs {
  const { ui } = useEditor();
  const own = { page, component, nth: { page: pageNth, component: componentNth } };
  const isThis = useUi(({ selection }) => isSelected(selection, own));
  const select = useCallback(
    () =>
      ui.set({
        selection: { page, component, nth: { page: pageNth, component: componentNth } },
        pane: "properties",
      }),
    [ui, page, pageNth, component, componentNth],
  );
  return { isSelected: isThis, select };
}

interface RowProps {
  row: React.RefObject<HTMLDivElement | null>;
  edge: string | null;
  act: RowActs;
  name: string;
  note: string;
  /** text for screen readers */
  said: string;
  flawed: string;
  index: number;
  count: number;
  prefix?: string;
  move: (to: number) => void;
  duplicate: () => void;
  remove: (done: () => void) => void;
}

function Row({ row, edge, act, name, note, said, flawed, index, count, prefix, move, duplicate, remove }: RowProps) {
  const worst = useWorst(flawed);
  const onKey = (event: React.KeyboardEvent): void => {
    const isUp = event.key === "ArrowUp";
    if (event.altKey && (isUp || event.key === "ArrowDown")) {
      const to = index + (isUp ? -1 : 1);
      if (to >= 0 && to < count) move(to);
    } else if (event.key === "Delete") remove(focusOn(event.currentTarget));
    else if ((event.ctrlKey || event.metaKey) && event.key === "d") duplicate();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={row} className="qs-ed-row" data-selected={act.isSelected || undefined} data-edge={edge}>
      <button
        type="button"
        data-row
        className="qs-ed-row-name"
        aria-current={act.isSelected ? "true" : undefined}
        onClick={act.select}
        onKeyDown={onKey}
      >
        {prefix !== undefined && <span className="qs-ed-number">{prefix}</span>}
        <span className="qs-cut">{name}</span>
        {note !== "" && <small>{note}</small>}
        <span className="qs-unseen">
          {said}
          {worst === null ? "" : `, has ${worst}s`}
        </span>
        {worst !== null && <span className="qs-ed-dot" data-severity={worst} />}
      </button>
      <EntryMenu
        index={index}
        count={count}
        name={name}
        small
        move={move}
        duplicate={duplicate}
        remove={() => remove(() => {})}
      />
    </div>
  );
}

/** Keeps the focus where a row was, on the one that takes its place. */
function focusOn(row: Element): () => void {
  const list = row.closest(".qs-ed-outline");
  const rows = () => [...(list?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
  const at = rows().indexOf(row as HTMLElement);
  return () => setTimeout(() => (rows()[at] ?? rows().at(-1))?.focus());
}

/** The worst severity of the findings at or below a path; a page's components show their own. */
const useWorst = (path: string): "error" | "warning" | null =>
  useSession(({ findings }) => {
    const own = findings.filter((finding) => finding.path === path || finding.path.startsWith(`${path}.`));
    if (own.length === 0) return null;
    return own.some(({ severity }) => severity === "error") ? "error" : "warning";
  });
