import { useComputedColorScheme } from "@mantine/core";
import {
  Background,
  ControlButton,
  Controls,
  type Node,
  type NodeProps,
  ReactFlow,
  type ReactFlowInstance,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  useStoreApi,
  ViewportPortal,
} from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import {
  createContext,
  type KeyboardEvent,
  memo,
  type RefObject,
  startTransition,
  useCallback,
  useContext,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useFormat } from "../ui/use-format.ts";
import { boxHeight, firstView, type Room, wholeView } from "./first-view.ts";
import type { Graph } from "./graph.ts";
import { GraphCard } from "./graph-card.tsx";
import { GraphDetails } from "./graph-details.tsx";
import { GraphEdges } from "./graph-edges.tsx";
import { GraphLegend } from "./graph-legend.tsx";
import { type GraphPicture, layoutGraph, type PictureNode } from "./layout.ts";
import { PageStrip } from "./page-strip-view.tsx";
import { nextCard } from "./steps.ts";
import "./graph.css";

export interface GraphViewProps {
  /** what the picture shows */
  label: string;
  graph: Graph;
  height?: number;
  /**
   * the id of the selected page or edge; left out, the graph keeps the selection itself and describes it below the
   * picture
   */
  selected?: string | null;
  onSelect?: (id: string | null) => void;
}

interface CardNode extends Record<string, unknown> {
  drawn: PictureNode;
  place: number;
}

type Flow = ReactFlowInstance<Node<CardNode>, never>;

interface Picking {
  active: string | null;
  entry: string | null;
  written: (count: number) => string;
  onPick: (id: string) => void;
  onHover: (id: string | null) => void;
  /** whether edges can be selected as well */
  picksEdges: boolean;
}

const PickingContext = createContext<Picking | null>(null);
const nodeTypes = { card: Card };
const stripFrom = 10;
const noEdges: never[] = [];
const withoutName = { hideAttribution: true };

/** Pages in columns and the ways between them; with figures, edges are as wide as their traffic. */
export function GraphView({ label, graph, height = 560, selected, onSelect }: GraphViewProps) {
  const picture = useMemo(() => layoutGraph(graph), [graph]);
  const [own, setOwn] = useState<string | null>(null);
  const [hovered, setHovered] = useState<string | null>(null);
  const [entry, setEntry] = useState<string | null>(null);
  const flow = useRef<Flow | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<Room | null>(null);
  // measure the box before the first rendering, so that the picture need not be moved afterwards
  useLayoutEffect(() => {
    const { clientWidth: width = 0, clientHeight = 0 } = box.current ?? {};
    startTransition(() => setRoom({ width, height: clientHeight }));
  }, []);
  // the navigation strip may render after the picture itself
  const hasStrip = useDeferredValue(picture.nodes.length >= stripFrom, false);
  const { number } = useFormat();
  const chosen = selected === undefined ? own : selected;
  const latest = useRef({ chosen, onSelect });
  useEffect(() => {
    latest.current = { chosen, onSelect };
  });
  // a stable callback, so that nothing rerenders because of it
  const pick = useCallback((id: string | null) => {
    const next = id === latest.current.chosen ? null : id;
    setOwn(next);
    latest.current.onSelect?.(next);
  }, []);
  const active = hovered ?? chosen;
  const tabStop = entry ?? graph.nodes[0]?.id ?? null;
  const picksEdges = onSelect !== undefined;
  const picking = useMemo(
    (): Picking => ({ active, entry: tabStop, written: number, onPick: pick, onHover: setHovered, picksEdges }),
    [active, tabStop, number, pick, picksEdges],
  );
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") return pick(chosen);
    const from = event.target instanceof HTMLElement ? event.target.dataset["card"] : undefined;
    const to = from === undefined ? null : nextCard(picture.nodes, from, event.key);
    if (to === null) return;
    event.preventDefault();
    setEntry(to.node.id);
    bringIntoView(flow.current, box.current, to);
    box.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(to.node.id)}"]`)?.focus({ preventScroll: true });
  };
  return (
    <div className="qs-graph">
      <ReactFlowProvider>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
        <div
          ref={box}
          className="qs-graph-box"
          style={{ height: boxHeight(picture, height) }}
          role="group"
          aria-label={`${label}. Arrow keys lead from page to page.`}
          onKeyDown={onKeyDown}
          data-graph
        >
          <PickingContext value={picking}>
            {room ? <Picture picture={picture} box={box} room={room} flow={flow} /> : null}
          </PickingContext>
        </div>
        {hasStrip && room ? <PageStrip picture={picture} /> : null}
      </ReactFlowProvider>
      <GraphLegend graph={graph} />
      {selected === undefined ? <GraphDetails graph={graph} chosen={own} written={number} /> : null}
    </div>
  );
}

interface PictureProps {
  picture: GraphPicture;
  box: RefObject<HTMLDivElement | null>;
  room: Room;
  flow: RefObject<Flow | null>;
}

/** Rendered once per picture: highlighting changes only the cards and edges. */
const Picture = memo(({ picture, box, room, flow }: PictureProps) => {
  const scheme = useComputedColorScheme("light");
  const nodes = useMemo(() => picture.nodes.map(flowNode), [picture]);
  const [view] = useState(() => firstView(picture, room));
  const onInit = useCallback(
    (instance: Flow) => {
      flow.current = instance;
    },
    [flow],
  );
  return (
    <ReactFlow
      nodes={nodes}
      edges={noEdges}
      nodeTypes={nodeTypes}
      colorMode={scheme}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      elementsSelectable={false}
      disableKeyboardA11y
      minZoom={0.04}
      maxZoom={2}
      preventScrolling={false}
      zoomOnScroll={false}
      panOnScroll={false}
      proOptions={withoutName}
      defaultViewport={view}
      onInit={onInit}
    >
      <Background />
      <ViewportPortal>
        <LookedEdges picture={picture} />
      </ViewportPortal>
      <Controls showInteractive={false} showFitView={false}>
        <ShowWhole picture={picture} />
      </Controls>
      <BoxSigns box={box} picture={picture} />
    </ReactFlow>
  );
});

function ShowWhole({ picture }: { picture: GraphPicture }) {
  const { setViewport } = useReactFlow();
  const { getState } = useStoreApi();
  return (
    <ControlButton
      title="Show all of it"
      aria-label="Show all of it"
      onClick={() => void setViewport(wholeView(picture, getState()))}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M3 3h7v2H5v5H3zM14 3h7v7h-2V5h-5zM3 14h2v5h5v2H3zM19 14h2v7h-7v-2h5z" />
      </svg>
    </ControlButton>
  );
}

function LookedEdges({ picture: { edges, width, height } }: { picture: GraphPicture }) {
  const picking = useContext(PickingContext);
  if (!picking) return null;
  const { active, written, onPick, picksEdges } = picking;
  return <GraphEdges {...{ edges, width, height, active, written }} onPick={picksEdges ? onPick : undefined} />;
}

/** Giving the node's size and its empty handles spares React Flow measuring and rendering it twice. */
const flowNode = (drawn: PictureNode, index: number): Node<CardNode> => ({
  id: drawn.node.id,
  type: "card",
  position: { x: drawn.x, y: drawn.y },
  width: drawn.width,
  height: drawn.height,
  measured: { width: drawn.width, height: drawn.height },
  handles: [],
  data: { drawn, place: index + 1 },
});

function Card({ data: { drawn, place } }: NodeProps<Node<CardNode>>) {
  const picking = useContext(PickingContext);
  if (!picking) return null;
  const { active, entry, written, onPick, onHover } = picking;
  const { id } = drawn.node;
  return (
    <GraphCard
      drawn={drawn}
      place={place}
      isActive={active === id}
      isEntry={entry === id}
      written={written}
      onPick={onPick}
      onHover={onHover}
    />
  );
}

/**
 * When zoomed out, a card shows its position in large digits instead of its text; where the picture continues to the
 * left or the right, the box has a shadow.
 */
function BoxSigns({ box, picture }: { box: RefObject<HTMLDivElement | null>; picture: GraphPicture }) {
  const isFar = useStore(({ transform }) => transform[2] < 0.45);
  const hasLeft = useStore(({ transform }) => transform[0] < -8);
  const hasRight = useStore(({ transform, width }) => transform[0] + picture.width * transform[2] > width + 8);
  useEffect(() => {
    if (!box.current) return;
    box.current.dataset["far"] = String(isFar);
    box.current.dataset["left"] = String(hasLeft);
    box.current.dataset["right"] = String(hasRight);
  }, [box, isFar, hasLeft, hasRight]);
  return null;
}

function bringIntoView(flow: Flow | null, box: HTMLDivElement | null, to: PictureNode) {
  if (!flow || !box) return;
  const { x, y, zoom } = flow.getViewport();
  const left = to.x * zoom + x;
  const top = to.y * zoom + y;
  const isIn =
    left >= 0 &&
    top >= 0 &&
    left + to.width * zoom <= box.clientWidth &&
    top + to.cardHeight * zoom <= box.clientHeight;
  if (!isIn) void flow.setCenter(to.x + to.width / 2, to.y + to.cardHeight / 2, { zoom });
}
