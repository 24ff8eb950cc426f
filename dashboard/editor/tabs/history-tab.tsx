import { Button, Group, Modal, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { getVersionLint } from "../../../client/src/index.ts";
import type { DocumentChange } from "../../../engine/difference.ts";
import { compareDocuments, type ListQuizHistoryAnswer, listQuizHistory, restoreVersion } from "../../api/generated.ts";
import { useApi } from "../../app/api.ts";
import { useConfirm } from "../../ui/confirm.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { notifyDone, notifyProblem } from "../../ui/notify.ts";
import { QueryView } from "../../ui/query-view.tsx";
import { When } from "../../ui/when.tsx";
import { useEditor } from "../context.tsx";
import { DifferenceTable } from "../parts/difference-table.tsx";
import { NativeField } from "../parts/fields.tsx";
import { refusalOf } from "../session/api-server.ts";

type HistoryEntry = ListQuizHistoryAnswer["data"][number];

const actionWords: Readonly<Record<string, string>> = {
  imported: "Imported",
  created: "Created",
  duplicated: "Made as a copy",
  edited: "Edited",
  restored: "Took back",
  saved: "Saved",
  published: "Published",
  archived: "Archived",
  unarchived: "Took out of the archive",
  deleted: "Deleted",
};

/** Who did what and when; compares any two versions, and restores any version as the draft [editor.history]. */
export function HistoryTab() {
  const api = useApi();
  const { quizId } = useEditor();
  const [compared, setCompared] = useState<{ from: string; to: string } | null>(null);
  const [linted, setLinted] = useState<HistoryEntry | null>(null);
  const history = useQuery({
    queryKey: ["history", quizId],
    queryFn: () => listQuizHistory(api, { path: { quiz_id: quizId } }),
  });
  return (
    <section className="qs-ed-form qs-ed-history" aria-label="History">
      <h2>History</h2>
      <QueryView query={history}>
        {({ data }) => (
          <>
            <Versions data={data} compare={setCompared} lint={setLinted} />
            {compared && <Compare data={data} initial={compared} close={() => setCompared(null)} />}
            {linted && <Lint version={linted} close={() => setLinted(null)} />}
          </>
        )}
      </QueryView>
    </section>
  );
}

const versionName = ({ version_number, label }: HistoryEntry): string =>
  version_number === null ? "" : `Version ${version_number}${label ? `, ${label}` : ""}`;

interface VersionsProps {
  data: readonly HistoryEntry[];
  compare: (versions: { from: string; to: string }) => void;
  lint: (version: HistoryEntry) => void;
}

function Versions({ data, compare, lint }: VersionsProps) {
  const restore = useRestore();
  const columns: Column<HistoryEntry>[] = [
    { key: "what", header: "What", primary: true, cell: (entry) => actionWords[entry.action] ?? entry.action },
    {
      key: "version",
      header: "Version",
      cell: (entry) => `${versionName(entry)}${entry.live && entry.action === "published" ? " (live)" : ""}`,
    },
    { key: "who", header: "Who", cell: (entry) => entry.by },
    { key: "when", header: "When", cell: (entry) => <When at={entry.at} /> },
    {
      key: "do",
      header: "Actions",
      bare: true,
      cell: (entry) =>
        entry.version_id !== null &&
        entry.action === "saved" && (
          <Group gap="xs">
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => compare({ from: entry.version_id ?? "", to: "draft" })}
            >
              Compare
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => lint(entry)}>
              Check
            </Button>
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => restore(entry.version_id ?? "", entry.version_number ?? 0)}
            >
              Make it the draft
            </Button>
          </Group>
        ),
    },
  ];
  return (
    <DataTable
      label="History of the quiz"
      columns={columns}
      rows={data}
      rowKey={(entry) => `${entry.at} ${entry.action} ${entry.version_id}`}
      empty={<Text size="sm">No entries yet.</Text>}
    />
  );
}

function useRestore() {
  const api = useApi();
  const client = useQueryClient();
  const confirm = useConfirm();
  const { quizId, session, ui } = useEditor();
  return async (version_id: string, number: number): Promise<void> => {
    try {
      await session.flush();
      const draft = await confirm({
        title: `Make version ${number} the draft?`,
        destroys: "What the draft is now is replaced. You can take that back with Undo.",
        verb: "Make it the draft",
        harmless: true,
        run: async () => {
          try {
            const named = { headers: { "If-Match": `"${session.revision}"` } };
            return await restoreVersion(api, { path: { quiz_id: quizId, version_id } }, named);
          } catch (error) {
            session.hear(refusalOf(error));
            throw error;
          }
        },
      });
      if (draft === null) return;
      session.takeTheirs(draft, `make version ${number} the draft`);
      ui.set({ tab: "build" });
      notifyDone(`Version ${number} is the draft now.`);
      await client.invalidateQueries({ queryKey: ["history", quizId] });
    } catch (error) {
      notifyProblem(error);
    }
  };
}

/**
 * The findings for a saved version, from the API. They link to no field, because the version is not being edited
 * [editor.version-lint].
 */
function Lint({ version, close }: { version: HistoryEntry; close: () => void }) {
  const api = useApi();
  const { quizId } = useEditor();
  const version_id = version.version_id ?? "";
  const lint = useQuery({
    queryKey: ["lint", quizId, version_id],
    queryFn: () => getVersionLint(api, { path: { quiz_id: quizId, version_id } }),
  });
  return (
    <Modal opened onClose={close} title={`Issues of ${versionName(version)}`} size="lg">
      <QueryView query={lint}>
        {({ findings }) =>
          findings.length === 0 ? (
            <Text size="sm">No issues.</Text>
          ) : (
            <ul aria-label="Issues of this version">
              {findings.map(({ severity, path, message }) => (
                <li key={`${path} ${message}`}>
                  <strong>{severity === "error" ? "Error" : "Warning"}</strong> <code>{path}</code>: {message}
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </Modal>
  );
}

interface CompareProps {
  data: readonly HistoryEntry[];
  initial: { from: string; to: string };
  close: () => void;
}

function Compare({ data, initial, close }: CompareProps) {
  const api = useApi();
  const { quizId, session } = useEditor();
  const [from, setFrom] = useState(initial.from);
  const [to, setTo] = useState(initial.to);
  const versions = data.flatMap((entry) =>
    entry.action === "saved" && entry.version_id !== null
      ? [{ value: entry.version_id, label: versionName(entry) }]
      : [],
  );
  const choices = [{ value: "draft", label: "The draft" }, ...versions];
  const difference = useQuery({
    queryKey: ["difference", quizId, from, to],
    queryFn: async () => {
      await session.flush();
      return compareDocuments(api, { path: { quiz_id: quizId }, query: { from, to } });
    },
    gcTime: 0,
  });
  return (
    <Modal opened onClose={close} title="Compare" size="xl">
      <Group mb="sm">
        <NativeField label="From" value={from} data={choices} onChange={setFrom} />
        <NativeField label="To" value={to} data={choices} onChange={setTo} />
      </Group>
      <QueryView query={difference}>
        {({ changes }) => <DifferenceTable changes={changes as DocumentChange[]} label="What differs" />}
      </QueryView>
    </Modal>
  );
}
