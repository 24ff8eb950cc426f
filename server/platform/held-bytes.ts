/**
 * What a value that was read from JSON holds of memory, about: a list of a thousand empty texts takes five times the
 * bytes in which it came, so that these say nothing of how much it holds. Texts count as two bytes a character, since
 * looking whether one would do costs more than it tells.
 */
export function heldBytes(value: unknown): number {
  let bytes = 0;
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") bytes += 24 + 2 * next.length;
    else if (typeof next !== "object" || next === null) bytes += 8;
    else if (Array.isArray(next)) {
      bytes += 64;
      for (const inner of next) open.push(inner);
    } else {
      bytes += 64;
      for (const name in next) open.push((next as Record<string, unknown>)[name]);
    }
    bytes += 8;
  }
  return bytes;
}
