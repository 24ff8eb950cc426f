import { useLocation } from "@tanstack/react-router";
import { type ReactNode, Suspense, useCallback, useEffect, useEffectEvent, useMemo, useState } from "react";
import { isProblem } from "../app/api.ts";
import { latePart } from "../app/late.tsx";
import { ConfirmContext, type ConfirmFunctions, type Question } from "./confirm.ts";

const ConfirmDialog = latePart(() => import("./confirm-dialog.tsx"), "ConfirmDialog", { isOver: true });
const PasswordDialog = latePart(() => import("./password-dialog.tsx"), "PasswordDialog", { isOver: true });

interface OpenQuestion {
  question: Question<unknown>;
  answer: (value: unknown) => void;
}

/** Provides dialogs whose answer callers await; one dialog at a time. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [openQuestion, setOpenQuestion] = useState<OpenQuestion | null>(null);
  const [waiting, setWaiting] = useState<((isConfirmed: boolean) => void) | null>(null);

  const askPassword = useCallback(
    () =>
      new Promise<boolean>((resolve) => {
        setWaiting(() => (isConfirmed: boolean) => {
          setWaiting(null);
          resolve(isConfirmed);
        });
      }),
    [],
  );

  // a question about one screen must not stay over another one, which Back leads to
  const { pathname } = useLocation();
  const dismiss = useEffectEvent(() => {
    openQuestion?.answer(null);
    waiting?.(false);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the path changes, and only then
  useEffect(() => dismiss(), [pathname]);

  const functions = useMemo<ConfirmFunctions>(() => {
    const withPassword: ConfirmFunctions["withPassword"] = async (run) => {
      try {
        return await run();
      } catch (error) {
        if (!isProblem(error, "password_required")) throw error;
        return (await askPassword()) ? run() : null;
      }
    };
    const confirm: ConfirmFunctions["confirm"] = <T,>(question: Question<T>) =>
      new Promise<T | null>((resolve) => {
        const answer = (value: unknown) => {
          setOpenQuestion(null);
          // the result of the question's own `run`, or null
          resolve(value as T | null);
        };
        setOpenQuestion({ question: { ...question, run: () => withPassword(question.run) }, answer });
      });
    return { confirm, withPassword };
  }, [askPassword]);

  return (
    <ConfirmContext value={functions}>
      {children}
      <Suspense>
        {openQuestion && <ConfirmDialog question={openQuestion.question} onAnswer={openQuestion.answer} />}
        {waiting && <PasswordDialog onAnswer={waiting} />}
      </Suspense>
    </ConfirmContext>
  );
}
