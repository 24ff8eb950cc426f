import { Button, SimpleGrid, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { type CreateQuizInput, createQuiz, listQuizTemplates } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { Page } from "../ui/page.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { readQuizFile } from "./files.ts";
import { OnlyEditors } from "./only-editors.tsx";
import { QuizFileInput } from "./parts/quiz-file-input.tsx";

/** A new quiz: empty, from a template, or from a file [editor.create]. */
export const NewQuizScreen = () => (
  <OnlyEditors title="New quiz" what="made">
    <NewQuiz />
  </OnlyEditors>
);

function NewQuiz() {
  const api = useApi();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [fault, setFault] = useState("");
  const file = useRef<HTMLInputElement>(null);
  const templates = useQuery({ queryKey: ["templates"], queryFn: () => listQuizTemplates(api) });
  const make = useMutation({
    mutationFn: (body: CreateQuizInput["body"]) =>
      createQuiz(api, { body: { ...body, ...(name.trim() ? { name: name.trim() } : {}) } }),
    onSuccess: async ({ quiz_id }) => {
      void client.invalidateQueries({ queryKey: ["quizzes"] });
      await navigate({ to: "/quizzes/$quizId/edit", params: { quizId: quiz_id } });
    },
  });
  const take = async (chosen: File): Promise<void> => {
    const read = readQuizFile(await chosen.text());
    setFault(read === null ? `${chosen.name} holds no quiz document.` : "");
    if (read) make.mutate({ document: read.document, ...(read.name === undefined ? {} : { name: read.name }) });
  };
  return (
    <Page title="New quiz" back={{ to: "/quizzes", label: "Quizzes" }}>
      <TextInput
        label="Name"
        maw="28rem"
        maxLength={200}
        placeholder="May follow later"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {make.isError && <ProblemNote error={make.error} />}
      {fault !== "" && (
        <Text role="alert" c="red" size="sm">
          {fault}
        </Text>
      )}
      <QueryView query={templates}>
        {({ data }) => (
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} mt="md">
            {data.map((template) => (
              <section key={template.template_id} className="qs-card" aria-label={template.name}>
                <Text fw={600}>{template.name}</Text>
                <Text size="sm" c="dimmed" my="xs">
                  {template.description}
                </Text>
                <Button
                  variant="default"
                  loading={make.isPending}
                  onClick={() => make.mutate({ template_id: template.template_id })}
                >
                  {template.template_id === "empty" ? "Begin empty" : `Use ${template.name}`}
                </Button>
              </section>
            ))}
          </SimpleGrid>
        )}
      </QueryView>
      <Text mt="lg" size="sm">
        Or take a file that was exported from here.
      </Text>
      <QuizFileInput input={file} take={(chosen) => void take(chosen)} />
      <Button variant="default" mt="xs" onClick={() => file.current?.click()}>
        Import a file
      </Button>
    </Page>
  );
}
