import { useLayoutEffect } from 'react';

/**
 * Gives the focus back to what had it when a dialog opened (WCAG 2.4.3). Mantine does that for dialogs that are closed,
 * and not for those that are taken off the page while they are open.
 */
export function useFocusBack(isOpen = true): void {
  useLayoutEffect(() => {
    if (!isOpen) return;
    const before = document.activeElement;
    // An item of a menu is gone by then, and the button of the menu is not.
    const menuId = before?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
    return () => {
      const place = menuId == null ? before : document.getElementById(menuId);
      if (place instanceof HTMLElement) place.focus({ preventScroll: true });
    };
  }, [isOpen]);
}
