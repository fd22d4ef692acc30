import { Button, Notification } from '@mantine/core';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { ApiError } from '../api/api-error.js';
import { RefusalText } from '../states/refusal-text.js';
import { words } from '../words.js';
import classes from './notices.module.css';

const SHOWN_MS = 6_000;
/** Long enough to see that it was a slip. */
const UNDO_SHOWN_MS = 12_000;

interface Notice {
  readonly id: number;
  readonly text: ReactNode;
  readonly isFailure: boolean;
  readonly undo?: (() => void) | undefined;
}

interface Notices {
  /** Says what was done; `undo` takes it back. */
  readonly done: (text: string, undo?: () => void) => void;
  /** Says what failed, until it is closed. That the session is over is said by the dialog that asks for another one. */
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
    const show = (text: ReactNode, isFailure: boolean, undo?: () => void) => {
      const id = nextId.current++;
      setShown((all) => [...all.slice(-2), { id, text, isFailure, undo }]);
      if (!isFailure) setTimeout(() => close(id), undo === undefined ? SHOWN_MS : UNDO_SHOWN_MS);
    };
    return {
      done: (text, undo) => show(text, false, undo),
      failed: (error) => {
        if (!(error instanceof ApiError && error.isOfSession)) show(<RefusalText error={error} />, true);
      },
    };
  }, [close]);
  return (
    <Context.Provider value={notices}>
      {children}
      <div className={classes.place} aria-live="polite">
        {shown.map(({ id, text, isFailure, undo }) => (
          <Notification
            key={id}
            color={isFailure ? 'red' : 'teal'}
            onClose={() => close(id)}
            closeButtonProps={{ 'aria-label': words.close }}
            withBorder
          >
            {text}
            {undo !== undefined && (
              <Button
                size="compact-xs"
                variant="default"
                ml="sm"
                onClick={() => {
                  close(id);
                  undo();
                }}
              >
                {words.undo}
              </Button>
            )}
          </Notification>
        ))}
      </div>
    </Context.Provider>
  );
}
