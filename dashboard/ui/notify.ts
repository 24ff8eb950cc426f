import { wantNotes } from "../app/note-store.ts";
import { problemOf } from "../app/problems.ts";

/** Notes in the corner, for what has no place of its own on the screen. What draws them is fetched with the first. */

type Note = { message: string; color: string; autoClose?: number; role?: "alert" };

async function show(note: Note): Promise<void> {
  wantNotes();
  const { notifications } = await import("@mantine/notifications");
  notifications.show(note);
}

export const notifyDone = (message: string): void => void show({ message, color: "leaf" });

export function notifyProblem(error: unknown): void {
  const { sentence, requestId } = problemOf(error);
  notifyRefusal(requestId === null ? sentence : `${sentence} Request ${requestId}`);
}

/** What cannot be done, in a sentence of the screen's own. */
export const notifyRefusal = (message: string): void =>
  void show({ message, color: "red", autoClose: 15_000, role: "alert" });
