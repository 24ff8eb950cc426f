import { Button, Text } from "@mantine/core";
import { useMemo } from "react";
import { firstWords } from "../../../engine/condition-words.ts";
import { useDocument, useEditor, useUi } from "../context.tsx";
import { type Standing, standingFor } from "../document/standing.ts";

/** Which result wins with the answers that are given in the preview or in the grid [editor.wins]. */
export function StandingCard() {
  const document = useDocument((whole) => whole);
  const answers = useUi((state) => state.answers);
  const { ui } = useEditor();
  const standing = useMemo(() => standingFor(document, answers), [document, answers]);
  const { ranks, winner } = standing;
  if (ranks.length === 0) return null;
  return (
    <section className="qs-ed-standing qs-card" aria-label="What wins">
      <h3>With the preview's answers</h3>
      <Text size="sm" role="status">
        {inWords(standing)}
      </Text>
      <ol>
        {ranks.map(({ dimension_id, name, total }) => (
          <li key={dimension_id} className="qs-ed-place" data-wins={dimension_id === winner || undefined}>
            <span className="qs-grow">{firstWords(name, dimension_id)}</span>
            <span>{total}</span>
          </li>
        ))}
      </ol>
      {answers.size > 0 && (
        <Button size="compact-xs" variant="subtle" onClick={() => ui.set({ answers: new Map() })}>
          Clear answers
        </Button>
      )}
    </section>
  );
}

function inWords({ ranks, winner, page }: Standing): string {
  const first = ranks[0];
  const shown =
    page === null
      ? "No result page is shown."
      : `Page ${page.index + 1}, "${firstWords(page.page.title, page.page.page_key)}", is shown.`;
  if (winner === null || !first) return `No result wins yet: tick options in the table. ${shown}`;
  const level = ranks.filter(({ total }) => total === first.total).length;
  const among = level > 1 ? `, as the first of ${level} that are level` : "";
  return `"${firstWords(first.name, first.dimension_id)}" wins${among}. ${shown}`;
}
