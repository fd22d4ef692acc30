const KEY = 'heliograph.reloaded-for';

/**
 * After an upgrade an open page asks for a script that the new gateway no longer has. The page loads itself again then,
 * but only once for each script, so that a missing file does not make it load for ever.
 */
export function reloadForMissingScripts(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const missing = String(event.payload?.message ?? '');
    if (sessionStorage.getItem(KEY) === missing) return;
    sessionStorage.setItem(KEY, missing);
    event.preventDefault();
    location.reload();
  });
}
