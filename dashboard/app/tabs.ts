/** The other tabs of this browser hear when somebody signs in or out, and look for themselves. */
const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("quizstore-session");

/** @param session the one that this browser has now; null: whoever hears of it looks in any case */
export const tellOthers = (session: string | null = null): void => channel?.postMessage(session);

/** @returns how to stop listening */
export function onToldByOthers(listener: (session: string | null) => void): () => void {
  const heard = ({ data }: MessageEvent<string | null>) => listener(data);
  channel?.addEventListener("message", heard);
  return () => channel?.removeEventListener("message", heard);
}
