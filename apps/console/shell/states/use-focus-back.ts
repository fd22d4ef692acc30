import { useLayoutEffect, useMemo } from 'react';

/**
 * Gives the focus back to what had it when a dialog opened (WCAG 2.4.3). Mantine does that for dialogs that are closed,
 * and not for those that are taken off the page while they are open. If what had it goes, e.g. with its row, the focus
 * goes to the list around it, or else to the heading of the page.
 */
export function useFocusBack(isOpen = true): void {
  // Read before the page changes: what opens the dialog may be an item of a menu, which is gone then.
  const opener = useMemo(() => (isOpen ? document.activeElement : null), [isOpen]);
  useLayoutEffect(() => {
    if (!isOpen) return;
    // If this dialog stands in for another one, that one has given the focus back already.
    const before = document.activeElement === document.body ? opener : document.activeElement;
    const menuButton = before?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
    const place = menuButton == null ? before : document.getElementById(menuButton);
    if (!(place instanceof HTMLElement)) return;
    const list = place.parentElement?.closest<HTMLElement>('[tabindex="0"]');
    return () => {
      place.focus({ preventScroll: true });
      followFocus(place, list);
    };
  }, [isOpen, opener]);
}

let follower: MutationObserver | undefined;

/** Waits until something else has the focus; if the place goes before, the focus does not stay behind on nothing. */
function followFocus(place: HTMLElement, list: HTMLElement | null | undefined): void {
  follower?.disconnect();
  const look = () => {
    const { activeElement } = document;
    const isElsewhere = activeElement !== place && activeElement !== document.body;
    if (place.isConnected && !isElsewhere) return;
    follower?.disconnect();
    if (isElsewhere) return;
    const next = list?.isConnected ? list : document.querySelector<HTMLElement>('h1[tabindex]');
    next?.focus({ preventScroll: true });
  };
  follower = new MutationObserver(look);
  follower.observe(document.body, { childList: true, subtree: true });
  look();
}

/**
 * A button that is pressed is disabled while its act runs, and browsers take the focus from it then. When it may be
 * pressed again, e.g. because the act was refused, it has the focus again, unless something else has got it: from the
 * page, the Tab key would lead to what lies under the dialog.
 */
export function keepFocusOfBusyButtons(): void {
  let last: EventTarget | null = null;
  window.addEventListener('focusin', ({ target }) => {
    last = target;
  });
  const look = (changes: readonly MutationRecord[]) => {
    for (const { target } of changes) {
      if (target !== last || document.activeElement !== document.body) continue;
      if (target instanceof HTMLButtonElement && !target.disabled) target.focus({ preventScroll: true });
    }
  };
  new MutationObserver(look).observe(document.body, { subtree: true, attributes: true, attributeFilter: ['disabled'] });
}
