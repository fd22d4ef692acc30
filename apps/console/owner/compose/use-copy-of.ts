import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { api } from '../session/api.js';
import type { Draft } from './draft.js';
import { c } from './words.js';

interface SentMessage {
  readonly recipient: string;
  /** Empty if it is no longer kept. */
  readonly message: string;
  readonly sender: string | null;
}

/** Fills the draft with the message that the address names (`?resend=ID`), once. */
export function useCopyOf(change: (changes: Partial<Draft>) => void): { readonly error: unknown } {
  const [search, setSearch] = useSearchParams();
  const [error, setError] = useState<unknown>();
  const id = search.get('resend');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a message is copied once, whatever is typed meanwhile.
  useEffect(() => {
    if (id === null) return;
    const stop = new AbortController();
    api.request<SentMessage>(`/v1/message/${encodeURIComponent(id)}`, { signal: stop.signal }).then(
      ({ recipient, message, sender }) => {
        if (message === '') setError(c.copy.noText);
        change({ recipients: recipient, text: message, sender: sender ?? '', isLater: false, copyOf: id });
        setSearch({}, { replace: true });
      },
      (reason: unknown) => {
        if (!stop.signal.aborted) setError(reason);
      },
    );
    return () => stop.abort();
  }, [id]);
  return { error };
}
