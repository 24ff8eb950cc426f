/** Which of a file's stored codings suits a request (RFC 9110, section 12.5.3). Pure. */

export type Coding = "br" | "gzip" | "identity";

/** The smallest that the client accepts; uncompressed if it names none. */
export function chooseCoding(header: string | string[] | undefined): Coding {
  const weights = new Map<string, number>();
  for (const part of String(header ?? "").split(",")) {
    const [name = "", weight] = part
      .toLowerCase()
      .split(";")
      .map((word) => word.trim());
    const q = weight === undefined ? 1 : Number(/^q=(\d(?:\.\d*)?)$/.exec(weight)?.[1] ?? 0);
    if (name !== "") weights.set(name, q);
  }
  const takes = (coding: Coding): boolean => (weights.get(coding) ?? weights.get("*") ?? 0) > 0;
  if (takes("br")) return "br";
  return takes("gzip") || (weights.get("x-gzip") ?? 0) > 0 ? "gzip" : "identity";
}
