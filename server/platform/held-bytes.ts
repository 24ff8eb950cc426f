/**
 * The approximate memory of a value parsed from JSON. The size of the JSON text is no measure: a list of a thousand
 * empty texts takes five times its bytes in memory. Texts count as two bytes a character, because checking whether one
 * would do costs more than it is worth.
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
