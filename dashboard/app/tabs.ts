/** Notifies the other tabs of this browser when somebody signs in or out, so that they check their session. */
const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("quizstore-session");

/** @param session the browser's current session; null: every tab has to check */
export const tellOthers = (session: string | null = null): void => channel?.postMessage(session);

/** @returns a function that stops listening */
export function onToldByOthers(listener: (session: string | null) => void): () => void {
  const heard = ({ data }: MessageEvent<string | null>) => listener(data);
  channel?.addEventListener("message", heard);
  return () => channel?.removeEventListener("message", heard);
}
