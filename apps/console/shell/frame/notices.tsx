import { Notification } from '@mantine/core';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { words } from '../words.js';
import classes from './notices.module.css';

const SHOWN_MS = 6_000;

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isFailure: boolean;
}

interface Notices {
  /** Says what was done. */
  readonly done: (text: string) => void;
  /** Says what failed; it stays until it is closed. */
  readonly failed: (error: unknown) => void;
}

const Context = createContext<Notices>({ done: () => undefined, failed: () => undefined });

export const useNotices = (): Notices => useContext(Context);

/** Short messages at the edge of the page, read out by screen readers. */
export function NoticesProvider({ children }: { readonly children: ReactNode }) {
  const [shown, setShown] = useState<readonly Notice[]>([]);
  const nextId = useRef(1);
  const close = useCallback((id: number) => setShown((all) => all.filter((notice) => notice.id !== id)), []);
  const notices = useMemo<Notices>(() => {
    const show = (text: string, isFailure: boolean) => {
      const id = nextId.current++;
      setShown((all) => [...all.slice(-2), { id, text, isFailure }]);
      if (!isFailure) setTimeout(() => close(id), SHOWN_MS);
    };
    return {
      done: (text) => show(text, false),
      failed: (error) => show(error instanceof Error ? error.message : String(error), true),
    };
  }, [close]);
  return (
    <Context.Provider value={notices}>
      {children}
      <div className={classes.place} aria-live="polite">
        {shown.map(({ id, text, isFailure }) => (
          <Notification
            key={id}
            color={isFailure ? 'red' : 'teal'}
            onClose={() => close(id)}
            closeButtonProps={{ 'aria-label': words.close }}
            withBorder
          >
            {text}
          </Notification>
        ))}
      </div>
    </Context.Provider>
  );
}
