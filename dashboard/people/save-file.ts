/** Saves a text that the page has as a file of the browser's. */
export function saveFile(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // the download has begun by the next turn
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
