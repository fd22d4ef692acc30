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

const PRESSED = 'button, a, .mantine-Modal-overlay';

/**
 * The second click of a double click is for what the first one was on. What has come under the pointer meanwhile does
 * not get it: the dialog that the first click opened would be closed again, or something done that nobody has read. A
 * button that has other words by then, "Enable" for "Disable", does something else.
 */
export function keepSecondClicks(): void {
  let first: { readonly pressed: Element | null; readonly words: string } = { pressed: null, words: '' };
  const hear = (event: MouseEvent) => {
    // No pointer makes a click without a count, e.g. Enter on a button.
    if (event.detail === 0 || !(event.target instanceof Element)) return;
    const pressed = event.target.closest(PRESSED);
    const words = pressed?.textContent ?? '';
    if (event.detail === 1) first = { pressed, words };
    else if (pressed !== null && (pressed !== first.pressed || words !== first.words)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  // The first half of a click gives the focus.
  for (const type of ['mousedown', 'click'] as const) window.addEventListener(type, hear, { capture: true });
}
