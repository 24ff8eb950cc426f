import { Alert, Button, Group, Modal, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { differenceOf } from "../../../engine/difference.ts";
import { createQuiz, getDraft } from "../../api/generated.ts";
import { useApi } from "../../app/api.ts";
import { ProblemNote } from "../../ui/problem-note.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { When } from "../../ui/when.tsx";
import { useDocument, useEditor, useSession } from "../context.tsx";
import { DifferenceTable } from "../parts/difference-table.tsx";

/**
 * Shown when somebody else changed the draft: nothing is sent until the author chooses which draft to keep
 * [editor.two-editors].
 */
export function ConflictNote() {
  const save = useSession((state) => state.save);
  const [isOpen, setOpen] = useState(false);
  if (save.kind !== "changed") return null;
  return (
    <Alert color="orange" variant="light" role="alert" className="qs-ed-note">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {save.by ?? "Somebody else"} changed this quiz {save.at !== "" && <When at={save.at} />}. What you typed is
          kept in this browser and is not sent until you choose.
        </Text>
        <Button size="xs" onClick={() => setOpen(true)}>
          See both
        </Button>
      </Group>
      {isOpen && <ConflictDialog close={() => setOpen(false)} />}
    </Alert>
  );
}

function ConflictDialog({ close }: { close: () => void }) {
  const api = useApi();
  const navigate = useNavigate();
  const { quizId, session } = useEditor();
  const mine = useDocument((document) => document);
  const theirs = useQuery({
    queryKey: ["draft", quizId, "theirs"],
    queryFn: () => getDraft(api, { path: { quiz_id: quizId } }),
    gcTime: 0,
    staleTime: 0,
  });
  const copy = useMutation({
    mutationFn: () =>
      createQuiz(api, { body: { name: `Copy of ${session.state.name}`.slice(0, 200), document: { ...mine } } }),
    onSuccess: async ({ quiz_id }) => {
      if (theirs.data) session.takeTheirs(theirs.data);
      await navigate({ to: "/quizzes/$quizId/edit", params: { quizId: quiz_id } });
    },
  });
  return (
    <Modal opened onClose={close} title="Two people changed this quiz" size="xl">
      <QueryView query={theirs}>
        {(draft) => (
          <>
            <Text size="sm" mb="xs">
              What differs, from {draft.saved_by ?? "theirs"} to yours:
            </Text>
            <DifferenceTable changes={differenceOf(draft.document, mine)} label="What differs from theirs to yours" />
            {copy.isError && <ProblemNote error={copy.error} />}
            <Group mt="md">
              <Button
                variant="default"
                onClick={() => {
                  session.takeTheirs(draft);
                  close();
                }}
              >
                Take theirs
              </Button>
              <Button
                variant="default"
                color="red"
                onClick={() => {
                  session.keepMine(draft);
                  close();
                }}
              >
                Replace theirs by mine
              </Button>
              <Button loading={copy.isPending} onClick={() => copy.mutate()}>
                Keep mine as a quiz of its own
              </Button>
            </Group>
          </>
        )}
      </QueryView>
    </Modal>
  );
}
