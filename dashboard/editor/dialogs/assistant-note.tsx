import { Alert, Button, Group, Text } from "@mantine/core";
import { endAssistantRun } from "../../api/generated.ts";
import { useApi } from "../../app/api.ts";
import { useConfirm } from "../../ui/confirm.ts";
import { notifyDone, notifyProblem } from "../../ui/notify.ts";
import { useEditor, useSession } from "../context.tsx";

/**
 * Shown while the assistant edits: the editor is read-only, names who runs it and until when, and lets the author end
 * the run [editor.assistant].
 */
export function AssistantNote() {
  const save = useSession((state) => state.save);
  const end = useEnd();
  if (save.kind !== "assistant") return null;
  return (
    <Alert color="blue" variant="light" role="status" className="qs-ed-note">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {save.holder} edits this quiz until {new Date(save.until).toLocaleTimeString()}. You can look at everything,
          and change it afterwards.
        </Text>
        <Button size="xs" variant="default" onClick={() => void end(save.holder)}>
          End its run
        </Button>
      </Group>
    </Alert>
  );
}

function useEnd() {
  const api = useApi();
  const confirm = useConfirm();
  const { quizId, session } = useEditor();
  return async (holder: string): Promise<void> => {
    try {
      const answer = await confirm({
        title: "End the assistant's run?",
        destroys: `${holder} can change this quiz no more until it begins anew. What it did stays in the draft.`,
        verb: "End the run",
        harmless: true,
        run: async () => endAssistantRun(api, { path: { quiz_id: quizId } }),
      });
      if (answer === null) return;
      await session.assistantEnded();
      notifyDone(answer.ended === null ? "Its run was over already." : "You can edit the quiz again.");
    } catch (error) {
      notifyProblem(error);
    }
  };
}
