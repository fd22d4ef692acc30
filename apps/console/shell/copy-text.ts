/**
 * Copies a text; false if the browser does not. A page that comes over plain HTTP, e.g. from an address of the local
 * network, has no `navigator.clipboard`: there the browser is told to copy, and is given the text when it asks for it.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyAsTold(text);
  }
}

function copyAsTold(text: string): boolean {
  let isGiven = false;
  const give = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    isGiven = true;
  };
  document.addEventListener('copy', give);
  try {
    return document.execCommand('copy') && isGiven;
  } finally {
    document.removeEventListener('copy', give);
  }
}
