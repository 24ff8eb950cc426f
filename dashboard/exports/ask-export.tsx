import { Button, type ButtonProps, Checkbox, Group, Modal, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { createExport, ProblemError } from "../../client/src/index.ts";
import type { ExportDataset } from "../../contract/exports.ts";
import { useApi } from "../app/api.ts";
import { useMember } from "../app/session.ts";
import { QuizPicker } from "../people/quiz-picker.tsx";
import { problemAt } from "../people/search-problems.ts";
import { useQuizzes } from "../people/use-quizzes.ts";
import { ProblemNote } from "../ui/problem-note.tsx";
import { ExportProgress } from "./export-progress.tsx";
import {
  conditionCount,
  datasetsFor,
  datasetWords,
  type ExportFilters,
  type FileKind,
  fileKinds,
  hasQuestions,
  holdsContacts,
  type Layout,
  requestFor,
  usualLayout,
} from "./export-words.ts";

interface Props extends Pick<ButtonProps, "variant" | "size"> {
  /** left out: the person chooses */
  dataset?: ExportDataset;
  /** the filters of the list or figure on the screen */
  filters?: ExportFilters;
  /** how an earlier file of this was laid out */
  layout?: Layout;
  /** a filter of the list that a file cannot have */
  notNarrowedBy?: string;
  label?: string;
}

/**
 * A button that exports any list or figure as a file; not rendered for members who may not export it
 * [dashboard-exports.filters].
 */
export function AskExport({
  dataset,
  filters = {},
  layout = usualLayout,
  notNarrowedBy,
  label = "Export…",
  variant = "default",
  size,
}: Props) {
  const member = useMember();
  const [open, setOpen] = useState(false);
  const offered = datasetsFor(member.scopes).filter((offer) => dataset === undefined || offer === dataset);
  const [first] = offered;
  if (first === undefined) return null;
  return (
    <>
      <Button variant={variant} {...(size === undefined ? {} : { size })} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Modal opened={open} onClose={() => setOpen(false)} title="Export as a file" size="lg">
        {open && (
          <ExportForm
            offered={offered}
            first={first}
            filters={filters}
            layout={layout}
            notNarrowedBy={notNarrowedBy}
            zone={member.store.timezone}
            contacts={member.contacts}
          />
        )}
      </Modal>
    </>
  );
}

interface FormProps {
  offered: ExportDataset[];
  first: ExportDataset;
  filters: ExportFilters;
  layout: Layout;
  notNarrowedBy: string | undefined;
  zone: string;
  /** whether the member may see contacts */
  contacts: boolean;
}

function ExportForm({ offered, first, filters, layout: given, notNarrowedBy, zone, contacts }: FormProps) {
  const [selected, setSelection] = useState({ ...filters, tz: filters.tz ?? zone });
  const [dataset, setDataset] = useState(first);
  const [layout, setLayout] = useState(given);
  const { selection, waiting } = useOneQuiz(dataset, selected);
  const making = useMakeExport();
  if (making.data !== undefined) return <ExportProgress id={making.data.id} />;
  const errors = making.error instanceof ProblemError ? making.error.errors : [];
  const at = (field: string) => problemAt(errors, `body.${field}`);
  const conditions = selection.search && holdsContacts(dataset) ? conditionCount(selection.search) : 0;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        making.mutate(requestFor(dataset, layout, selection));
      }}
    >
      <Stack gap="md">
        <NativeSelect
          label="What"
          description={datasetWords[dataset].rows}
          data={offered.map((value) => ({ value, label: datasetWords[value].label }))}
          value={dataset}
          disabled={offered.length === 1}
          onChange={(event) => setDataset(event.currentTarget.value as ExportDataset)}
        />
        <Group grow align="flex-start">
          {(["from", "to"] as const).map((day) => (
            <TextInput
              key={day}
              type="date"
              label={day === "from" ? "First day" : "Last day"}
              value={selection[day] ?? ""}
              error={at(day)}
              onChange={(event) => {
                const value = event.currentTarget.value;
                setSelection((before) => ({ ...before, [day]: value }));
              }}
            />
          ))}
        </Group>
        <QuizPicker
          label="Quiz"
          placeholder="Every quiz"
          {...(dataset === "responses" ? { description: "Each quiz has its own questions, so its own columns" } : {})}
          clearable
          value={selection.quiz_id ?? null}
          error={at("quiz_id")}
          onChange={(quiz) => setSelection((before) => ({ ...before, quiz_id: quiz }))}
        />
        {!contacts && holdsContacts(dataset) && (
          <Text size="sm">Emails and phone numbers are left out: your role does not show them.</Text>
        )}
        {conditions > 0 && (
          <Text size="sm">
            Only people of your filters and search ({conditions} {conditions === 1 ? "condition" : "conditions"}).
          </Text>
        )}
        {notNarrowedBy !== undefined && (
          <Text size="sm" className="qs-name">
            {notNarrowedBy} does not narrow a file: it holds everybody of the other filters.
          </Text>
        )}
        <LayoutChoice dataset={dataset} layout={layout} onChange={setLayout} />
        <Text size="sm" c="dimmed">
          Days are in {selection.tz}. The file is made in the background and kept for seven days.
        </Text>
        {making.isError && <ProblemNote error={making.error} />}
        <Group justify="space-between">
          <Button component={Link} to="/exports" variant="subtle">
            All exports
          </Button>
          <Button type="submit" loading={making.isPending || waiting}>
            Make the file
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useMakeExport() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: ReturnType<typeof requestFor>) => createExport(api, { body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["exports"] }),
  });
}

/** Answers are offered quiz by quiz: a live one, until the person chooses [dashboard-exports.one-quiz]. */
function useOneQuiz<Selection extends ExportFilters>(dataset: ExportDataset, selection: Selection) {
  const unchosen = dataset === "responses" && selection.quiz_id === undefined;
  const { data: quizzes = [], isLoading } = useQuizzes({ enabled: unchosen });
  const live = quizzes.find(({ status }) => status === "published") ?? quizzes[0];
  return {
    selection: unchosen && live !== undefined ? { ...selection, quiz_id: live.id } : selection,
    waiting: unchosen && isLoading,
  };
}

interface LayoutProps {
  dataset: ExportDataset;
  layout: Layout;
  onChange: (layout: Layout) => void;
}

function LayoutChoice({ dataset, layout, onChange }: LayoutProps) {
  return (
    <>
      <NativeSelect
        label="Format"
        data={fileKinds.map(({ value, label }) => ({ value, label }))}
        value={layout.kind}
        onChange={(event) => onChange({ ...layout, kind: event.currentTarget.value as FileKind })}
      />
      {hasQuestions(dataset, layout) && (
        <Checkbox
          label="Name the columns by the questions’ texts"
          description="Otherwise by keys, which stay the same when a question is reworded"
          checked={layout.texts}
          onChange={(event) => onChange({ ...layout, texts: event.currentTarget.checked })}
        />
      )}
    </>
  );
}
