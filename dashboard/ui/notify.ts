import { wantNotes } from "../app/note-store.ts";
import { problemOf } from "../app/problems.ts";

/**
 * Notes in the corner, for messages without a place on the screen. The code that shows them is loaded with the first.
 */

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

/** Reports a refusal in the screen's own words. */
export const notifyRefusal = (message: string): void =>
  void show({ message, color: "red", autoClose: 15_000, role: "alert" });
