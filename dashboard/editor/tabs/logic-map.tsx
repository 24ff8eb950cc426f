import { Group, Switch, Text } from "@mantine/core";
import { Suspense, useMemo } from "react";
import type { AnalyticsPaths } from "../../../client/src/index.ts";
import { plusDays } from "../../analytics/days.ts";
import { PendingNote } from "../../analytics/freshness.tsx";
import { withMoves } from "../../analytics/paths-graph.ts";
import { quizPaths } from "../../analytics/questions.ts";
import { RangePicker } from "../../analytics/range-picker.tsx";
import { commonQuery } from "../../analytics/url-state.ts";
import { useQuestion } from "../../analytics/use-question.ts";
import { latePart } from "../../app/late.tsx";
import { useMember } from "../../app/session.ts";
import { ProblemNote } from "../../ui/problem-note.tsx";
import { useFormat } from "../../ui/use-format.ts";
import { When } from "../../ui/when.tsx";
import { useDocument, useEditor, useSession, useUi } from "../context.tsx";
import { type LogicGraph, logicGraph } from "../document/logic-graph.ts";
import { placeOf, selectionAt } from "../locate.ts";

const GraphView = latePart(() => import("../../graph/graph-view.tsx"), "GraphView");

/**
 * The pages and the ways between them as a graph, optionally with how many shoppers took each [editor.logic,
 * editor.figures].
 */
export function LogicMap() {
  const document = useDocument((whole) => whole);
  const findings = useSession((state) => state.findings);
  const graph = useMemo(() => logicGraph(document, findings), [document, findings]);
  const figures = useFigures();
  const ways = figures.isOn ? figures.query.data : undefined;
  return (
    <section className="qs-ed-map" aria-label="Logic map">
      <FiguresBar figures={figures} />
      {graph.nodes.length === 0 ? (
        <Text size="sm" c="dimmed">
          There are no pages yet.
        </Text>
      ) : (
        <Suspense fallback={<Text size="sm">The map is on its way…</Text>}>
          <Picture graph={graph} ways={ways} />
        </Suspense>
      )}
    </section>
  );
}

function Picture({ graph, ways }: { graph: LogicGraph; ways: AnalyticsPaths | undefined }) {
  const { session, ui } = useEditor();
  const at = useUi((state) => state.selection);
  const selected = graph.nodes.find(({ place }) => place === placeOf(session.document, at).page)?.id ?? null;
  const drawn = useMemo(
    () => (ways ? withMoves(graph, ways, ({ rule_key }) => rule_key ?? null) : graph),
    [graph, ways],
  );
  return (
    <GraphView
      label="Pages and the paths between them"
      graph={drawn}
      {...(selected === null ? {} : { selected })}
      onSelect={(id) => {
        const jump = graph.edges.find((edge) => edge.id === id)?.rule;
        const page = graph.nodes.find((node) => node.id === id)?.place;
        if (jump !== undefined) ui.goTo({ tab: "logic", selection: null, field: `jump_rules.${jump}.target_page_key` });
        else if (page !== undefined) ui.select(selectionAt(session.document, page));
      }}
    />
  );
}

function useFigures() {
  const { quizId } = useEditor();
  const { store } = useMember();
  const days = useUi(({ figures }) => figures);
  const range = days === null || days === "recent" ? {} : days;
  const question = quizPaths(quizId, commonQuery(range, store.timezone), { cohort: "all" });
  const query = useQuestion(question, { enabled: days !== null });
  return { isOn: days !== null, range, query, zone: store.timezone };
}

/** Controls for the figures: the days, and how many sessions they cover. */
function FiguresBar({ figures: { isOn, range, query, zone } }: { figures: ReturnType<typeof useFigures> }) {
  const { ui } = useEditor();
  const { data } = query;
  return (
    <>
      <Group gap="sm" mb="xs">
        <Switch
          label="Show how many went which way"
          checked={isOn}
          onChange={({ currentTarget }) => ui.set({ figures: currentTarget.checked ? "recent" : null })}
        />
        {isOn && (
          <RangePicker
            search={range}
            setSearch={({ from, to }) => ui.set({ figures: from && to ? { from, to } : "recent" })}
            shown={data ? { from: data.range.start, to: data.range.end } : null}
            today={data ? plusDays(data.freshness.closed_days_through, 1) : null}
            zone={zone}
            canCompare={false}
          />
        )}
      </Group>
      {isOn && query.isError && <ProblemNote error={query.error} retry={() => void query.refetch()} />}
      {isOn && data && (
        <>
          <PendingNote freshness={data.freshness} />
          <FiguresNote data={data} busy={query.isPlaceholderData} />
        </>
      )}
    </>
  );
}

function FiguresNote({ data, busy }: { data: AnalyticsPaths; busy: boolean }) {
  const format = useFormat();
  const { as_of } = data.freshness;
  return (
    <Text size="sm" c="dimmed" mb="xs" aria-busy={busy}>
      <span role="status">
        {data.sessions === 0 ? "No shopper was here in these days." : `${format.number(data.sessions)} sessions.`}
      </span>{" "}
      The figures are of the versions that shoppers were served; what you changed since has none.
      {as_of !== null && (
        <>
          {" "}
          As of <When at={as_of} />.
        </>
      )}
    </Text>
  );
}
