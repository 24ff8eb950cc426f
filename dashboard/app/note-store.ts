import { useSyncExternalStore } from "react";

/** Whether there ever was a note: the code that shows them is loaded with the first. */
let isNeeded = false;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function wantNotes(): void {
  isNeeded = true;
  for (const listener of listeners) listener();
}

export const useNotesWanted = (): boolean => useSyncExternalStore(subscribe, () => isNeeded);
