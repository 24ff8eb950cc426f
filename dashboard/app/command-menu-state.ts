import { useEffect, useSyncExternalStore } from "react";

/** Whether the command menu and the shortcut help were ever opened: their code is loaded then. */

interface Opened {
  menu: boolean;
  help: boolean;
}

let opened: Opened = { menu: false, help: false };
const listeners = new Set<() => void>();

function change(next: Partial<Opened>): void {
  opened = { ...opened, ...next };
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const openMenu = (): void => change({ menu: true });
export const openHelp = (): void => change({ help: true });
export const closeHelp = (): void => change({ help: false });
export const closeMenu = (): void => change({ menu: false });

/** Whether a key press goes into a text field. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Ctrl+K or Cmd+K anywhere; `?` outside text fields. */
export function useMenuKeys(): Opened {
  useEffect(() => {
    const onKey = (event: Event) => {
      // browsers that fill in a password dispatch a keydown event that is no KeyboardEvent
      if (!(event instanceof KeyboardEvent)) return;
      if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault();
        openMenu();
      } else if (event.key === "?" && !event.ctrlKey && !event.metaKey && !isTyping(event.target)) openHelp();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return useSyncExternalStore(subscribe, () => opened);
}
