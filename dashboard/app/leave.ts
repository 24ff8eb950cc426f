/** Loads another page in the place of this one, to which Back does not lead; nothing goes on here meanwhile. */
export function leaveFor(address: string): Promise<never> {
  location.replace(address);
  return new Promise(() => undefined);
}
