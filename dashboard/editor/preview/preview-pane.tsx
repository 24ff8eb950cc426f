import { Button, Group, SegmentedControl, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { firstWords } from "../../../engine/condition-words.ts";
import type { AnswerValue, QuizDocument } from "../../../engine/document.ts";
import { type Catalog, useCatalog, useDocument, useEditor, useReadOnly, useSession, useUi } from "../context.tsx";
import { useAddPage } from "../parts/add-page.tsx";
import type { Preview } from "./draw-preview.ts";
import { useDrawnRules } from "./drawn-rules.ts";

/** The live preview: it shows the page that is being edited, and can be played from there with any answers. */

/** Delay in ms from the last key press to rendering, so that typing stays fast. */
const redrawMs = 300;

export function PreviewPane() {
  const { ui } = useEditor();
  const host = useRef<HTMLDivElement>(null);
  const preview = usePreview(host);
  const device = useUi((state) => state.device);
  const title = useShownTitle(preview.page);
  return (
    <section className="qs-ed-preview" aria-label="Preview">
      <Group gap="xs" className="qs-ed-preview-bar">
        <SegmentedControl
          size="xs"
          aria-label="Preview as"
          value={device}
          onChange={(next) => ui.set({ device: next === "desktop" ? "desktop" : "phone" })}
          data={[
            { value: "phone", label: "Phone" },
            { value: "desktop", label: "Desktop" },
          ]}
        />
        <Button size="xs" variant="default" onClick={() => preview.handle?.restart()}>
          Play from the start
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={preview.page === null}
          onClick={() => preview.page && ui.set({ selection: { page: preview.page, component: null }, tab: "build" })}
        >
          Edit this page
        </Button>
      </Group>
      <div className="qs-ed-stage" data-device={device}>
        {preview.isNothing && <NothingYet />}
        {preview.isHeld && (
          <Text size="xs" c="dimmed" mb="xs">
            Shoppers with these answers do not see this page: its condition does not hold.
          </Text>
        )}
        <div ref={host} className="qs-ed-player" data-testid="preview" hidden={preview.isNothing} />
        {preview.failed && <Text size="sm">The preview cannot be drawn. Reload the page to try again.</Text>}
      </div>
      <p className="qs-unseen" role="status">
        {title === "" ? "" : `The preview shows ${title}`}
      </p>
      <PreviewAnswers handle={preview.handle} />
    </section>
  );
}

/** In place of what shoppers would be told of a quiz without a page for them [editor.empty]. */
function NothingYet() {
  const isEmpty = useDocument(({ pages }) => pages.length === 0);
  const add = useAddPage();
  const readOnly = useReadOnly();
  if (!isEmpty)
    return (
      <Text size="sm" c="dimmed">
        With these answers no page is shown. Add a page without a condition, such as a question, for everybody to begin
        with.
      </Text>
    );
  return (
    <div className="qs-ed-invite">
      <Text fw={600}>Your quiz will appear here</Text>
      <Text size="sm" c="dimmed">
        It is drawn as shoppers will see it, and can be played while you write it.
      </Text>
      <Button
        size="compact-sm"
        disabled={readOnly}
        onClick={() => add({ kind: "question", component: "choice" })}
        style={{ alignSelf: "flex-start" }}
      >
        Ask the first question
      </Button>
    </div>
  );
}

const useShownTitle = (page: string | null): string =>
  useDocument((document) => {
    const found = document.pages.find(({ page_key }) => page_key === page);
    return found ? firstWords(found.title, found.page_key) : "";
  });

function usePreview(host: React.RefObject<HTMLDivElement | null>) {
  const { session, ui } = useEditor();
  const catalog = useCatalog();
  const [handle, setHandle] = useState<Preview | null>(null);
  const [shown, setShown] = useState<{ page: string | null; isHeld: boolean } | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let opened: Preview | null = null;
    let isOver = false;
    const open = async (): Promise<void> => {
      const { openPreview } = await import("./draw-preview.ts");
      if (isOver || host.current === null) return;
      const answers = (changed: ReadonlyMap<string, AnswerValue>) => ui.set({ answers: changed });
      const given = ui.state.answers;
      const turned = (page: string | null, isHeld: boolean) =>
        setShown((now) => (now?.page === page && now.isHeld === isHeld ? now : { page, isHeld }));
      opened = openPreview(host.current, { page: turned, answers }, given);
      setHandle(opened);
    };
    open().catch(() => setFailed(true));
    return () => {
      isOver = true;
      opened?.close();
    };
  }, [host, ui]);
  const document = useDocument((whole) => whole);
  const name = useSession((state) => state.name);
  const selected = useUi((state) => state.selection.page);
  const isDrawn = shown !== null;
  const drawn = useDrawnRules(shown?.page ?? null);
  const followed = useRef<QuizDocument | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: selecting alone redraws nothing
  useEffect(() => {
    if (handle === null) return;
    const { store, products } = catalog;
    const all = { document, catalog: [...new Map([...products, ...drawn.products]).values()] };
    const previewed = { name, store, ruled: drawn.blocks, ...asShown(all, catalog) };
    const timer = setTimeout(() => {
      handle
        .show(previewed)
        .then(() => {
          // other products alone leave whoever plays the quiz on their page
          const isChanged = followed.current !== document;
          followed.current = document;
          if (isChanged && selected !== null) follow(handle, document, selected);
        })
        .catch(() => setFailed(true));
    }, redrawMs);
    return () => clearTimeout(timer);
  }, [handle, document, name, catalog, drawn]);
  useEffect(() => {
    if (handle !== null && isDrawn && selected !== null) follow(handle, session.document, selected);
  }, [handle, isDrawn, selected, session]);
  const isNothing = document.pages.length === 0 || (shown !== null && shown.page === null);
  return { handle, page: shown?.page ?? null, isHeld: shown?.isHeld === true, failed, isNothing };
}

/** Replaces picture addresses by those that load here. */
function asShown<Drawn extends object>(drawn: Drawn, { shown }: Catalog): Drawn {
  const text = JSON.stringify(drawn);
  const moved = shown(text);
  return moved === text ? drawn : (JSON.parse(moved) as Drawn);
}

function follow(handle: Preview, document: QuizDocument, page_key: string): void {
  if (document.pages.some((page) => page.page_key === page_key)) handle.goTo(page_key);
}

function PreviewAnswers({ handle }: { handle: Preview | null }) {
  const answers = useUi((state) => state.answers);
  if (answers.size === 0) return null;
  return (
    <Group gap="xs" className="qs-ed-preview-bar">
      <Text size="xs" c="dimmed">
        {answers.size === 1 ? "1 answer given here" : `${answers.size} answers given here`}
      </Text>
      <Button size="compact-xs" variant="subtle" onClick={() => handle?.answer(new Map())}>
        Clear answers
      </Button>
    </Group>
  );
}
