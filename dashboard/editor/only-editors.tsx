import type { ReactNode } from "react";
import { may, useMember } from "../app/session.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { Page } from "../ui/page.tsx";

/** A screen for members who may edit quizzes; others get an explanation, and no data is requested [editor.roles]. */
export function OnlyEditors({ title, what, children }: { title: string; what: string; children: ReactNode }) {
  if (may(useMember(), "quizzes:write")) return children;
  return (
    <Page title={title} back={{ to: "/quizzes", label: "Quizzes" }}>
      <EmptyState
        title={`Quizzes are ${what} by editors and owners`}
        text="Ask an owner of this store for that role."
      />
    </Page>
  );
}
