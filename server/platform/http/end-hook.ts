/** Ends a hook with what may answer at once or later, without a promise where it answers at once. */
export function endHook(action: () => void | Promise<void>, done: (error?: Error) => void): void {
  try {
    const pending = action();
    if (pending) pending.then(() => done(), done);
    else done();
  } catch (error) {
    done(error as Error);
  }
}
