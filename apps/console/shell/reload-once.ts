const KEY = 'heliograph.reloaded-for';
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * After an upgrade an open page asks for a script that the new gateway no longer has. The page loads itself again then,
 * but only once for each script, so that a missing file does not make it load for ever. Without an answer it does not:
 * the browser would show a page of its own in place of the console.
 *
 * @throws what the script has failed with, if the page was loaded again for it before
 */
export async function reloadForMissingScript(error: unknown): Promise<void> {
  if (!(await hasPage())) return;
  const missing = String(error);
  if (sessionStorage.getItem(KEY) === missing) throw error;
  sessionStorage.setItem(KEY, missing);
  location.reload();
  // The page goes; nothing is shown in place of what is missing.
  await new Promise(() => undefined);
}

/** Whether the gateway has the page. A proxy whose gateway is away has one of its own, which is no success. */
export async function hasPage(): Promise<boolean> {
  try {
    const { ok } = await fetch(location.href, { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    return ok;
  } catch {
    return false;
  }
}
