/**
 * Replaces this page, so that Back does not return to it. The promise never resolves, so the caller does nothing more
 * meanwhile.
 */
export function leaveFor(address: string): Promise<never> {
  location.replace(address);
  return new Promise(() => undefined);
}
