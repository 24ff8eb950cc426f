import { ActionIcon, Button, Group, Text } from "@mantine/core";
import { memo, useCallback, useMemo, useState } from "react";
import { firstWords } from "../../../engine/condition-words.ts";
import type { QuizDocument } from "../../../engine/document.ts";
import { IconPlus, IconTrash } from "../../ui/icons.tsx";
import {
  useDocument,
  useEdit,
  useEditor,
  useFinding,
  useFindings,
  useReadOnly,
  useSame,
  useUi,
  useValue,
} from "../context.tsx";
import { choiceAt, componentPath } from "../document/edits.ts";
import type { Edit } from "../document/history.ts";
import type { Keys } from "../document/keys.ts";
import { addDimension, setPoints } from "../document/logic-edits.ts";
import { type GridRow, gridRows, pastedCells, resultIds } from "../document/points-grid.ts";
import { addResult, nameResult } from "../document/results.ts";
import { toggled } from "../document/standing.ts";
import { nths } from "../locate.ts";
import { Advanced, KeyField } from "../parts/key-field.tsx";
import { piecesOf, useNear } from "../parts/use-near.ts";
import { useRemove } from "../parts/use-remove.ts";
import { ProductRules } from "./product-rules.tsx";
import { PropertyTable } from "./property-table.tsx";
import { ResultPages } from "./result-pages.tsx";
import { StandingCard } from "./standing-card.tsx";

/**
 * Grids for the whole quiz's points, properties and product rules: one click to a cell, arrow keys between cells
 * [editor.grid].
 */
export function PointsTab() {
  return (
    <div className="qs-ed-points">
      <PointsTable />
      <PropertyTable />
      <ProductRules />
    </div>
  );
}

function PointsTable() {
  const pages = useDocument((document) => document.pages);
  const dimensions = useDocument((document) => document.dimensions);
  const rows = useSame(useMemo(() => gridRows({ ...emptyBut, pages }), [pages]));
  const ids = useSame(useMemo(() => resultIds(pages, dimensions), [pages, dimensions]));
  const nth = nths(dimensions.map(({ dimension_id }) => dimension_id));
  const edit = useEdit();
  const { session, ui } = useEditor();
  const readOnly = useReadOnly();
  const paste = useCallback(
    (text: string, row: number, column: number) =>
      edit((now) =>
        setPoints(
          now,
          pastedCells(text, {
            rows: gridRows(now),
            dimensions: resultIds(now.pages, now.dimensions),
            row,
            column,
          }),
        ),
      ),
    [edit],
  );
  const add = (how: (document: QuizDocument, keys: Keys) => Edit): void => {
    const keys = session.keys();
    edit((now) => how(now, keys));
    ui.set({
      focusRequest: {
        field: `dimensions.${session.document.dimensions.length - 1}.name`,
        at: (ui.state.focusRequest?.at ?? 0) + 1,
      },
    });
  };
  return (
    <section aria-label="Points" className="qs-ed-form">
      <Group justify="space-between">
        <h2>Points</h2>
        <ResultPages />
        <Button size="compact-sm" variant="subtle" disabled={readOnly} onClick={() => add(addDimension)}>
          Add one without a page
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={readOnly}
          leftSection={<IconPlus />}
          onClick={() => add(addResult)}
        >
          Add a result
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        What each option gives to each result. The result with most points wins; the first of those that are level.
        Arrow keys and Enter go from cell to cell, and cells of a spreadsheet can be pasted. Tick options to see what
        wins with them.
      </Text>
      <div className="qs-ed-beside">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
        <section className="qs-ed-grid-box" aria-label="Points of options" data-field="dimensions" tabIndex={0}>
          <table className="qs-ed-grid" onKeyDown={walkGrid}>
            <thead>
              <tr>
                <th scope="col">Option</th>
                {dimensions.map(({ dimension_id }, index) => (
                  <DimensionHead key={`${dimension_id} ${nth[index]}`} index={index} />
                ))}
                {ids.slice(dimensions.length).map((id) => (
                  <th key={id} scope="col">
                    {id} <span className="qs-ed-error">is no result any more</span>
                  </th>
                ))}
              </tr>
            </thead>
            <PointsBody {...{ rows, ids, paste, readOnly }} />
          </table>
        </section>
        <StandingCard />
      </div>
      {dimensions.length > 0 && (
        <Advanced title="Keys of results" keys={{ at: "dimensions", name: "dimension_id" }}>
          {dimensions.map(({ dimension_id, name }, index) => (
            <KeyField
              key={`${dimension_id} ${nth[index]}`}
              path={["dimensions", index, "dimension_id"]}
              label={`Key of ${firstWords(name) || `result ${index + 1}`}`}
            />
          ))}
          <small>Points, products and formulas follow a new key; figures know the result by it, and begin anew.</small>
        </Advanced>
      )}
      {rows.length === 0 && <Text size="sm">Options appear here once the quiz has a choice.</Text>}
    </section>
  );
}

const emptyBut = { jump_rules: [], dimensions: [], property_mappings: [] } satisfies Omit<QuizDocument, "pages">;

function DimensionHead({ index }: { index: number }) {
  const edit = useEdit();
  const remove = useRemove();
  const name = useValue<string>(["dimensions", index, "name"]) ?? "";
  const readOnly = useReadOnly();
  const finding = useFinding(["dimensions", index]);
  return (
    <th scope="col" data-field={`dimensions.${index}`}>
      <span className="qs-ed-head">
        <input
          type="text"
          aria-label={`Name of result ${index + 1}`}
          placeholder={`Result ${index + 1}`}
          data-field={`dimensions.${index}.name`}
          aria-invalid={finding !== null}
          title={finding?.message}
          readOnly={readOnly}
          value={name}
          onChange={(event) => {
            const next = event.currentTarget.value;
            edit((document) => nameResult(document, ["dimensions", index, "name"], next));
          }}
        />
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          disabled={readOnly}
          aria-label={`Remove result ${name || index + 1}`}
          onClick={() => remove({ kind: "result", dimension: index }, `the result "${name || index + 1}"`)}
        >
          <IconTrash />
        </ActionIcon>
      </span>
      {finding && <span className="qs-ed-error">{firstWords(finding.message)}</span>}
    </th>
  );
}

interface PointsBodyProps {
  rows: readonly GridRow[];
  ids: readonly string[];
  paste: (text: string, row: number, column: number) => void;
  readOnly: boolean;
}

/** Memoised: there may be thousands of cells, and a key press changes one. */
const PointsBody = memo(function PointsBody({ rows, ...shared }: PointsBodyProps) {
  return piecesOf(rows, rowsPerPiece).map((piece, index) => (
    <PointsPiece key={pathOf(piece[0])} rows={piece} begin={index * rowsPerPiece} {...shared} />
  ));
});

const rowsPerPiece = 50;
const pathOf = (row: GridRow | undefined): string =>
  row ? [...componentPath(row.place), "options", row.option, "points"].join(".") : "";

const PointsPiece = memo(function PointsPiece({ rows, begin, ...shared }: PointsBodyProps & { begin: number }) {
  const { ref, isNear } = useNear<HTMLTableSectionElement>(begin === 0, (field) =>
    rows.some((row) => field.startsWith(`${pathOf(row)}.`)),
  );
  return (
    <tbody ref={ref}>
      {isNear ? (
        rows.map((row, index) => <PointsRow key={pathOf(row)} row={row} at={begin + index} {...shared} />)
      ) : (
        <tr>
          <td style={{ blockSize: `${rows.length * 2.8}rem` }} />
        </tr>
      )}
    </tbody>
  );
});

interface PointsRowProps extends Omit<PointsBodyProps, "rows"> {
  row: GridRow;
  /** the row's index in the grid */
  at: number;
}

const PointsRow = memo(function PointsRow({ row, at, ids, paste, readOnly }: PointsRowProps) {
  const { place, option, question, label } = row;
  const edit = useEdit();
  const points = useDocument((document) => choiceAt(document, place)?.options[option]?.points);
  const { ui, session } = useEditor();
  const isChosen = useUi(({ answers }) => {
    const choice = choiceAt(session.document, place);
    const answer = choice && answers.get(choice.component_key);
    const id = choice?.options[option]?.option_id;
    return answer != null && "option_ids" in answer && id !== undefined && answer.option_ids.includes(id);
  });
  const tick = (): void => {
    const choice = choiceAt(session.document, place);
    const id = choice?.options[option]?.option_id;
    if (choice && id !== undefined) ui.set({ answers: toggled(ui.state.answers, choice, id) });
  };
  const path = pathOf(row);
  const findings = useFindings(useMemo(() => ids.map((id) => `${path}.${id}`), [path, ids]));
  const set = useCallback(
    (dimension_id: string, value: number) =>
      edit((document) => setPoints(document, [{ place, option, dimension_id, points: value }])),
    [edit, place, option],
  );
  return (
    <tr data-first={question === null ? undefined : ""} data-field={path}>
      <th scope="row">
        {question !== null && <small>{question}</small>}
        <label className="qs-ed-tick">
          <input type="checkbox" aria-label={`${label} in the preview`} checked={isChosen} onChange={tick} />
          {label}
        </label>
      </th>
      {ids.map((id, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a draft may have two results of one key
        <td key={`${id} ${column}`}>
          <Cell
            {...{ at, column, id, path, set, paste, readOnly }}
            points={points?.[id] ?? 0}
            finding={findings.get(`${path}.${id}`)?.message ?? null}
            label={`${label}, result ${column + 1}`}
          />
        </td>
      ))}
    </tr>
  );
});

interface CellProps extends Pick<PointsRowProps, "at" | "paste" | "readOnly"> {
  column: number;
  id: string;
  /** path of the row's points */
  path: string;
  label: string;
  points: number;
  finding: string | null;
  set: (id: string, points: number) => void;
}

const Cell = memo(function Cell({ at, column, id, path, label, points, finding, set, paste, readOnly }: CellProps) {
  // the text while it is not a number yet, such as "-" or "1."
  const [typed, setTyped] = useState<string | null>(null);
  const take = (text: string): void => {
    setTyped(text);
    const value = Number(text.trim().replace(",", "."));
    if (Number.isFinite(value)) set(id, value);
  };
  return (
    <input
      type="text"
      inputMode="decimal"
      data-cell={`${at} ${column}`}
      data-field={`${path}.${id}`}
      aria-label={label}
      aria-invalid={finding !== null}
      title={finding ?? undefined}
      readOnly={readOnly}
      value={typed ?? (points === 0 ? "" : String(points))}
      onChange={(event) => take(event.currentTarget.value)}
      onBlur={() => setTyped(null)}
      onPaste={(event) => {
        const text = event.clipboardData.getData("text/plain");
        if (!/[\t\n]/.test(text)) return;
        event.preventDefault();
        paste(text, at, column);
      }}
    />
  );
});

/** Arrow keys and Enter move between cells, as in a spreadsheet. */
function walkGrid(event: React.KeyboardEvent): void {
  const cell = (event.target as HTMLElement).dataset["cell"];
  if (cell === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const [row = 0, column = 0] = cell.split(" ").map(Number);
  const field = event.target as HTMLInputElement;
  const isAtEnd = field.selectionStart === field.value.length;
  const steps: Record<string, [number, number] | false> = {
    ArrowDown: [1, 0],
    Enter: [event.shiftKey ? -1 : 1, 0],
    ArrowUp: [-1, 0],
    ArrowRight: isAtEnd && [0, 1],
    ArrowLeft: field.selectionEnd === 0 && [0, -1],
  };
  const step = steps[event.key];
  if (!step) return;
  const next = event.currentTarget.querySelector<HTMLInputElement>(
    `[data-cell="${row + step[0]} ${column + step[1]}"]`,
  );
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.select();
}
