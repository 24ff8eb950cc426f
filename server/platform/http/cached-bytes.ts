/**
 * A text that is the same for every request, as bytes, made when it is first asked for: starting does not wait for it, and
 * encoding half a megabyte for each response takes longer than sending it.
 */
export function cachedBytes(make: () => string): () => Buffer {
  let bytes: Buffer | null = null;
  return () => {
    bytes ??= Buffer.from(make());
    return bytes;
  };
}
