import "./editor.css";
import { Alert, SegmentedControl, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Suspense, useEffect, useMemo, useRef, useState } from "react";
import { getDraft, nameProducts } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { latePart } from "../app/late.tsx";
import { useMe } from "../app/session.ts";
import { notifyDone } from "../ui/notify.ts";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import {
  type Catalog,
  CatalogContext,
  EditorContext,
  emptyCatalog,
  useDocument,
  useEditor,
  useSession,
  useUi,
} from "./context.tsx";
import { AssistantNote } from "./dialogs/assistant-note.tsx";
import { ConflictNote } from "./dialogs/conflict-note.tsx";
import { namedProducts } from "./document/named-products.ts";
import { type Tab, tabs } from "./locate.ts";
import { OnlyEditors } from "./only-editors.tsx";
import { Outline } from "./parts/outline.tsx";
import { FocusRequested, Properties } from "./parts/properties.tsx";
import { TopBar } from "./parts/top-bar.tsx";
import { PreviewPane } from "./preview/preview-pane.tsx";
import { WithRuledProducts } from "./ruled-products.tsx";
import { apiServer, keyKindsOf } from "./session/api-server.ts";
import { browserCopies } from "./session/browser-copies.ts";
import { EditorSession, type Opened } from "./session/editor-session.ts";
import { UiStore } from "./ui-state.ts";
import { useEditorKeys } from "./use-editor-keys.ts";

const LogicTab = latePart(() => import("./tabs/logic-tab.tsx"), "LogicTab");
const PointsTab = latePart(() => import("./tabs/points-tab.tsx"), "PointsTab");
const LookTab = latePart(() => import("./tabs/look-tab.tsx"), "LookTab");
const RemovalDialog = latePart(() => import("./dialogs/removal-dialog.tsx"), "RemovalDialog");
const HistoryTab = latePart(() => import("./tabs/history-tab.tsx"), "HistoryTab");

/** The editor of one quiz. For another quiz it is mounted anew, so that no state carries over. */
export function EditorScreen() {
  const { quizId } = useParams({ strict: false });
  return (
    <OnlyEditors title="Edit" what="edited">
      <OneQuiz key={quizId} quizId={quizId ?? ""} />
    </OnlyEditors>
  );
}

function OneQuiz({ quizId }: { quizId: string }) {
  const api = useApi();
  const { person } = useMe();
  const [copies] = useState(() => browserCopies({ person: person.id, quizId }, newName));
  useEffect(() => copies.close, [copies]);
  const opened = useQuery({
    queryKey: ["draft", quizId, "opened"],
    queryFn: async (): Promise<Opened> => {
      const draft = await getDraft(api, { path: { quiz_id: quizId } });
      return { draft, earlier: keyKindsOf(draft.earlier_keys), copy: await copies.takeLeft() };
    },
    // after loading, the session has the newer state
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <Page
      title={opened.data ? `Edit ${opened.data.draft.name}` : "Edit"}
      isName
      back={{ to: "/quizzes", label: "Quizzes" }}
    >
      <QueryView query={opened}>{(found) => <OpenedQuiz quizId={quizId} opened={found} copies={copies} />}</QueryView>
    </Page>
  );
}

/**
 * A tab's name, which tells its copies from those of other tabs: random, with the time, because pages without https
 * lack randomUUID.
 */
const newName = (): string => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

interface OpenedProps {
  quizId: string;
  opened: Opened;
  copies: ReturnType<typeof browserCopies>;
}

const timers = {
  now: () => Date.now(),
  after: (ms: number, run: () => void) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

function OpenedQuiz({ quizId, opened, copies }: OpenedProps) {
  const api = useApi();
  const [session] = useState(
    () => new EditorSession({ server: apiServer(api, quizId), copies, timers, random: Math.random }, opened),
  );
  const editor = useMemo(() => ({ quizId, session, ui: new UiStore() }), [quizId, session]);
  useEffect(() => {
    const keep = (): void => session.keepNow();
    const retry = (): void => session.retry();
    const turn = async (): Promise<void> => {
      keep();
      const by = document.visibilityState === "visible" ? await session.lookAgain() : null;
      if (by !== null) notifyDone(`${by} changed this quiz meanwhile. You see it as it is now.`);
    };
    const onTurn = (): void => void turn();
    addEventListener("pagehide", keep);
    document.addEventListener("visibilitychange", onTurn);
    addEventListener("online", retry);
    return () => {
      removeEventListener("pagehide", keep);
      document.removeEventListener("visibilitychange", onTurn);
      removeEventListener("online", retry);
      session.keepNow();
      void session.flush().finally(() => session.close());
    };
  }, [session]);
  return (
    <EditorContext value={editor}>
      <WithCatalog>
        <WithRuledProducts>
          <Editor />
        </WithRuledProducts>
      </WithCatalog>
    </EditorContext>
  );
}

/** Provides the shop's data for the products that the document names. */
function WithCatalog({ children }: { children: React.ReactNode }) {
  const api = useApi();
  const pages = useDocument((document) => document.pages);
  const named = useMemo(() => namedProducts(pages), [pages]);
  const found = useQuery({
    queryKey: ["catalog", "named", named],
    queryFn: () => nameProducts(api, { body: { product_ids: named.products, variant_ids: named.variants } }),
    placeholderData: (before) => before,
    staleTime: 60_000,
  });
  const catalog = useMemo((): Catalog => {
    if (!found.data) return emptyCatalog;
    const { store, data, moved_addresses: moved } = found.data;
    return {
      store,
      products: new Map(data.map((product) => [product.product_id, product])),
      shown: (text) => moved.reduce((current, { from, to }) => current.replaceAll(from, to), text),
    };
  }, [found.data]);
  return <CatalogContext value={catalog}>{children}</CatalogContext>;
}

function Editor() {
  const root = useRef<HTMLDivElement>(null);
  const { ui } = useEditor();
  const tab = useUi((state) => state.tab);
  const removal = useUi((state) => state.removal);
  useEditorKeys();
  return (
    <div ref={root} className="qs-ed">
      <Tabs
        value={tab}
        onChange={(next) => ui.set({ tab: tabs.find((known) => known === next) ?? "build" })}
        keepMounted={false}
      >
        <TopBar />
        <Notes />
        {tabs.map((name) => (
          <Tabs.Panel key={name} value={name}>
            <Suspense fallback={<Text size="sm">One moment…</Text>}>
              <Panel tab={name} />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
      <FocusRequested within={root} />
      {removal && (
        <Suspense>
          <RemovalDialog removal={removal} close={() => ui.set({ removal: null })} />
        </Suspense>
      )}
    </div>
  );
}

function Notes() {
  const save = useSession((state) => state.save);
  const restored = useSession((state) => state.restored);
  const leftOut = useSession((state) => state.leftOut);
  return (
    <>
      <AssistantNote />
      {restored && save.kind !== "changed" && (
        <Alert color="blue" variant="light" role="status" className="qs-ed-note">
          What you typed last time and was not saved is here again. Undo takes it back.
        </Alert>
      )}
      {leftOut.length > 0 && (
        <Alert color="orange" variant="light" role="alert" className="qs-ed-note">
          This draft has parts that cannot be edited here, and that go with your next change: {leftOut.join(", ")}
        </Alert>
      )}
      <ConflictNote />
    </>
  );
}

function Panel({ tab }: { tab: Tab }) {
  if (tab === "logic") return <LogicTab />;
  if (tab === "points") return <PointsTab />;
  if (tab === "history") return <HistoryTab />;
  return <Panes isLook={tab === "look"} />;
}

/** Side by side, or one at a time on a phone [editor.screen]. */
function Panes({ isLook }: { isLook: boolean }) {
  const { ui } = useEditor();
  const pane = useUi((state) => state.pane);
  return (
    <>
      <SegmentedControl
        className="qs-ed-switch"
        fullWidth
        aria-label="What is shown"
        value={pane}
        onChange={(next) => ui.set({ pane: next as typeof pane })}
        data={[
          { value: "outline", label: isLook ? "Look" : "Pages" },
          { value: "preview", label: "Preview" },
          ...(isLook ? [] : [{ value: "properties", label: "Properties" }]),
        ]}
      />
      <div
        className="qs-ed-panes"
        data-look={isLook || undefined}
        data-pane={isLook && pane === "properties" ? "outline" : pane}
      >
        {isLook ? <LookTab /> : <Outline />}
        <PreviewPane />
        {!isLook && <Properties />}
      </div>
    </>
  );
}
