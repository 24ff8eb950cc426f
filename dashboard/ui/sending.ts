import { useState } from "react";

/** A request that is being sent, and its outcome. */
export interface Sending {
  isSending: boolean;
  error: unknown;
  /** Resolves to whether it succeeded; otherwise `error` holds the cause. */
  send(run: () => Promise<unknown>): Promise<boolean>;
}

export function useSending(): Sending {
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = async (run: () => Promise<unknown>): Promise<boolean> => {
    setSending(true);
    setError(null);
    try {
      await run();
      return true;
    } catch (caught) {
      setError(caught);
      return false;
    } finally {
      setSending(false);
    }
  };
  return { isSending, error, send };
}
