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

interface Copy {
  readonly error: unknown;
  /** The sender of the message, if it is no longer allowed. */
  readonly lostSender: string | undefined;
}

/** Fills the draft with the message that the address names (`?resend=ID`), once. */
export function useCopyOf(change: (changes: Partial<Draft>) => void, senders: readonly string[]): Copy {
  const [search, setSearch] = useSearchParams();
  const [error, setError] = useState<unknown>();
  const [lostSender, setLostSender] = useState<string>();
  const id = search.get('resend');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a message is copied once, whatever is typed meanwhile.
  useEffect(() => {
    if (id === null) return;
    const stop = new AbortController();
    api.request<SentMessage>(`/v1/message/${encodeURIComponent(id)}`, { signal: stop.signal }).then(
      ({ recipient, message, sender }) => {
        if (message === '') setError(c.copy.noText);
        if (sender !== null && !senders.includes(sender)) setLostSender(sender);
        change({ recipients: recipient, text: message, sender: sender ?? '', isLater: false, copyOf: id });
        setSearch({}, { replace: true });
      },
      (reason: unknown) => {
        if (!stop.signal.aborted) setError(reason);
      },
    );
    return () => stop.abort();
  }, [id]);
  return { error, lostSender };
}
