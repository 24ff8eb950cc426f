import { Button, Group, Modal, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { DocumentChange } from "../../../engine/difference.ts";
import { compareDocuments, publishDraft } from "../../api/generated.ts";
import { useApi } from "../../app/api.ts";
import { notifyDone } from "../../ui/notify.ts";
import { ProblemNote } from "../../ui/problem-note.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { useEditor, useSession } from "../context.tsx";
import { DifferenceTable } from "../parts/difference-table.tsx";
import { FindingsList } from "../parts/findings-list.tsx";
import { refusalOf } from "../session/api-server.ts";

/** Publishing: lists the findings and what will change for shoppers, then asks [editor.publish]. */
export function PublishDialog({ close }: { close: () => void }) {
  const api = useApi();
  const client = useQueryClient();
  const { quizId, session } = useEditor();
  const [label, setLabel] = useState("");
  const errors = useSession((state) => state.findings.filter(({ severity }) => severity === "error").length);
  const warnings = useSession((state) => state.findings.length) - errors;
  const isEmpty = useSession((state) => state.history.document.pages.length === 0);
  const difference = useQuery({
    queryKey: ["difference", quizId, "live", "draft"],
    queryFn: async () => {
      await session.flush();
      return { revision: session.revision, ...(await compareDocuments(api, { path: { quiz_id: quizId } })) };
    },
    gcTime: 0,
    staleTime: 0,
  });
  const publish = useMutation({
    mutationFn: (revision: number) =>
      publishDraft(
        api,
        { path: { quiz_id: quizId }, body: label.trim() === "" ? {} : { label: label.trim() } },
        { headers: { "If-Match": `"${revision}"` } },
      ),
    onError: (error) => session.hear(refusalOf(error)),
    onSuccess: () => {
      session.published();
      notifyDone("Published. Shoppers are served it from now on.");
      void client.invalidateQueries();
      close();
    },
  });
  return (
    <Modal opened onClose={close} title="Publish this quiz" size="xl">
      <h2 className="qs-ed-h3">What to look at</h2>
      <FindingsList onGo={close} />
      <h2 className="qs-ed-h3">What changes for shoppers</h2>
      <QueryView query={difference}>
        {({ changes, from, revision }) => (
          <>
            {from === "nothing" && <Text size="sm">Nothing of this quiz is live yet: all of it is new.</Text>}
            <DifferenceTable changes={changes as DocumentChange[]} label="What differs from what is live" />
            <TextInput
              mt="md"
              label="Label"
              description="For the history; may stay empty"
              maxLength={200}
              value={label}
              onChange={(event) => setLabel(event.currentTarget.value)}
            />
            {publish.isError && <ProblemNote error={publish.error} retry={() => difference.refetch()} />}
            <Group justify="space-between" mt="md">
              <Text size="sm" c="dimmed">
                {errors > 0
                  ? "Fix the errors first."
                  : warnings > 0
                    ? "Warnings do not keep it from being published."
                    : ""}
              </Text>
              <Button
                disabled={errors > 0 || isEmpty}
                loading={publish.isPending}
                onClick={() => publish.mutate(revision)}
              >
                Publish
              </Button>
            </Group>
          </>
        )}
      </QueryView>
    </Modal>
  );
}
