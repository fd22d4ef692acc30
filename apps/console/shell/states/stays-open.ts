/** For the dialog that asks for a new session: what lies under it waits until it is over. */
export const STAYS_OPEN = { 'data-stays-open': true };

/** How a dialog is closed: not while its act runs, because it tells what comes of it, e.g. a secret, or a refusal. */
export function closeOf(isBusy: boolean, onClose: () => void): () => void {
  return isBusy ? () => undefined : onClose;
}

/**
 * Mantine closes all open dialogs at Escape, also those under another one, with what was typed there. While a dialog
 * that stays open is over them, none of them hears of the key. Called before there is a dialog.
 */
export function keepDialogsUnder(): void {
  const hear = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || document.querySelector('[data-stays-open] [role="dialog"]') === null) return;
    event.stopImmediatePropagation();
  };
  window.addEventListener('keydown', hear, { capture: true });
}
