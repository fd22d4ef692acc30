const opened: (() => unknown)[] = [];

/** What a test has opened is closed after it, the newest first. */
export function closedAfterTest(close: () => unknown): void {
  opened.push(close);
}

/** After each test of every spec: the runner calls it. */
export async function closeOpened(): Promise<void> {
  for (const close of opened.splice(0).reverse()) await close();
}
