import { useEffect, useSyncExternalStore } from 'react';

/** Dialogs that show a secret now. */
let shown = 0;
const listeners = new Set<() => void>();

/** Counts a dialog that shows a secret as long as it is open. */
export function useSecretShown(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return;
    change(1);
    return () => change(-1);
  }, [isOpen]);
}

/** Whether a secret is on the page. Nothing may lie over it: it is not shown again. */
export const useIsSecretShown = (): boolean => useSyncExternalStore(subscribe, () => shown > 0);

function change(by: 1 | -1): void {
  shown += by;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
