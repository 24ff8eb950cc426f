import { useState } from "react";

/** One thing that is being sent, and what became of it. */
export interface Sending {
  isSending: boolean;
  error: unknown;
  /** Answers whether it worked; what went wrong is kept in `error`. */
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
