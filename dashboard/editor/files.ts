import { isObject } from "../../engine/read.ts";

/** Reads and saves quiz documents as files. */

export interface QuizFile {
  name: string | undefined;
  document: Record<string, unknown>;
}

/** Reads a bare document, or one with a name around it as exports write it; null for anything else. */
export function readQuizFile(text: string): QuizFile | null {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(content)) return null;
  if ("pages" in content) return { name: undefined, document: content };
  const { name, document } = content;
  return isObject(document) ? { name: typeof name === "string" ? name : undefined, document } : null;
}

/** Downloads a text as a file. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replace(/[/\\:*?"<>|]/g, " ");
  link.click();
  URL.revokeObjectURL(url);
}
