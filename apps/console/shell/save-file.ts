/** Saves a file to the person's downloads. */
export function saveFile(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Browsers read it after the click; a large file takes a while.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
