import { useLayoutEffect, useMemo } from 'react';

/**
 * Gives the focus back to what had it when a dialog opened (WCAG 2.4.3). Mantine does that for dialogs that are closed,
 * and not for those that are taken off the page while they are open.
 */
export function useFocusBack(isOpen = true): void {
  // Read before the page changes: what opens the dialog may be an item of a menu, which is gone then.
  const opener = useMemo(() => (isOpen ? document.activeElement : null), [isOpen]);
  useLayoutEffect(() => {
    if (!isOpen) return;
    // If this dialog stands in for another one, that one has given the focus back already.
    const before = document.activeElement === document.body ? opener : document.activeElement;
    const menuButton = before?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
    return () => {
      const place = menuButton == null ? before : document.getElementById(menuButton);
      if (place instanceof HTMLElement) place.focus({ preventScroll: true });
    };
  }, [isOpen, opener]);
}
