import { ActionIcon, Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { archiveQuiz, deleteQuiz } from "../../../client/src/index.ts";
import { duplicateQuiz, exportQuiz, previewQuiz } from "../../api/generated.ts";
import { useApi } from "../../app/api.ts";
import { useConfirm } from "../../ui/confirm.ts";
import { IconMore } from "../../ui/icons.tsx";
import { notifyDone, notifyProblem, notifyRefusal } from "../../ui/notify.ts";
import { useEditor } from "../context.tsx";
import { readQuizFile, saveFile } from "../files.ts";
import { QuizFileInput } from "./quiz-file-input.tsx";

/** Rarely used actions on the whole quiz. */
export function QuizMenu() {
  const acts = useActs();
  const file = useRef<HTMLInputElement>(null);
  return (
    <>
      <QuizFileInput input={file} take={(chosen) => void acts.take(chosen)} />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label="More to do with this quiz">
            <IconMore />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void acts.share()}>Copy a preview link</Menu.Item>
          <Menu.Item onClick={() => void acts.figures()}>See its figures</Menu.Item>
          <Menu.Item onClick={() => void acts.duplicate()}>Duplicate</Menu.Item>
          <Menu.Item onClick={() => void acts.give()}>Export as a file</Menu.Item>
          <Menu.Item onClick={() => file.current?.click()}>Import a file in its place</Menu.Item>
          <Menu.Divider />
          <Menu.Item onClick={() => void acts.archive()}>Archive</Menu.Item>
          <Menu.Item color="red" onClick={() => void acts.remove()}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function useActs() {
  const api = useApi();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const client = useQueryClient();
  const { quizId, session } = useEditor();
  const path = { quiz_id: quizId };
  const reportingProblems = async (act: () => Promise<void>): Promise<void> => {
    try {
      await session.flush();
      await act();
    } catch (error) {
      notifyProblem(error);
    }
  };
  const leave = async (said: string): Promise<void> => {
    notifyDone(said);
    await client.invalidateQueries();
    await navigate({ to: "/quizzes" });
  };
  return {
    share: () =>
      reportingProblems(async () => {
        const { url } = await previewQuiz(api, { path, body: {} });
        const said = "Whoever has the link sees the draft for three days; nothing they do counts.";
        // pages without https have no clipboard, and browsers may refuse access
        const isCopied = await (navigator.clipboard?.writeText(url) ?? Promise.reject()).then(
          () => true,
          () => false,
        );
        notifyDone(isCopied ? `Copied. ${said}` : `${url} ${said}`);
      }),
    figures: () => reportingProblems(() => navigate({ to: "/quizzes/$quizId", params: { quizId } })),
    duplicate: () =>
      reportingProblems(async () => {
        const made = await duplicateQuiz(api, { path, body: {} });
        await navigate({ to: "/quizzes/$quizId/edit", params: { quizId: made.quiz_id } });
        notifyDone(`This is ${made.name}.`);
      }),
    give: () =>
      reportingProblems(async () => {
        const exported = await exportQuiz(api, { path });
        saveFile(`${exported.name}.json`, JSON.stringify(exported, null, 2));
      }),
    take: (file: File) =>
      reportingProblems(async () => {
        const read = readQuizFile(await file.text());
        if (read === null) return notifyRefusal(`${file.name} holds no quiz document.`);
        const leftOut = session.replace(read.document, "import a file", read.name);
        notifyDone(
          leftOut.length === 0 ? "Imported. Undo brings the draft back." : `Imported, but for ${leftOut.join(", ")}.`,
        );
      }),
    archive: () =>
      reportingProblems(async () => {
        await archiveQuiz(api, { path });
        await leave("Archived. Shoppers are served it all the same.");
      }),
    remove: () =>
      reportingProblems(async () => {
        const done = await confirm({
          title: "Delete this quiz?",
          destroys: `"${session.state.name}" is taken from the dashboard and from shoppers. What was answered stays.`,
          verb: "Delete",
          run: async () => deleteQuiz(api, { path }),
        });
        if (done !== null) await leave("Deleted.");
      }),
  };
}
