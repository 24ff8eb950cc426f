import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { Suspense } from "react";
import { latePart } from "./late.tsx";
import { nonce } from "./nonce.ts";
import { useNotesWanted } from "./note-store.ts";
import { personQueries } from "./query.ts";
import { router } from "./router.tsx";
import { cssVariablesResolver, theme } from "./theme.ts";

const Notes = latePart(() => import("./notes.tsx"), "Notes", { isOver: true });

const LateNotes = () => <Suspense>{useNotesWanted() && <Notes />}</Suspense>;

const schemes = localStorageColorSchemeManager({ key: "quizstore-scheme" });

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={schemes}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <LateNotes />
      <QueryClientProvider client={personQueries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
