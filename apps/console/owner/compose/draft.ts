import { useCallback, useMemo, useState } from 'react';
import { NO_CHOICES, type SendChoices } from '../sending/option-fields.js';
import { newSendId } from '../sending/send-id.js';

/** What somebody has written; this tab keeps it over a reload and the end of a session. */
export interface Draft extends SendChoices {
  readonly recipients: string;
  readonly text: string;
  /** Of the next send, so that one that is repeated after a fault is accepted once. A change makes a new one. */
  readonly sendId: string;
  /** The message of which it is a copy. */
  readonly copyOf: string;
}

const KEY = 'heliograph.draft';
const emptyDraft = (): Draft => ({ ...NO_CHOICES, recipients: '', text: '', copyOf: '', sendId: newSendId() });

/** @param senders those that are allowed: a kept draft, or the copy of a message, may have one of before */
export function useDraft(tabKey: string, senders: readonly string[]) {
  const key = `${KEY}.${tabKey}`;
  const [written, setDraft] = useState<Draft>(() => kept(key));
  // The field for a sender is not there if none is allowed, so nobody could take a wrong one away.
  const isAllowed = written.sender === '' || senders.includes(written.sender);
  const draft = useMemo(() => (isAllowed ? written : { ...written, sender: '' }), [written, isAllowed]);
  const keep = useCallback(
    (next: Draft) => {
      setDraft(next);
      try {
        sessionStorage.setItem(key, JSON.stringify(next));
      } catch {
        // Without room it is not kept; what is on the page stays.
      }
    },
    [key],
  );
  const change = useCallback(
    (changes: Partial<Draft>) => keep({ ...draft, sendId: newSendId(), ...changes }),
    [draft, keep],
  );
  const clear = useCallback(() => keep(emptyDraft()), [keep]);
  return { draft, change, clear };
}

function kept(key: string): Draft {
  try {
    return { ...emptyDraft(), ...(JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Draft>) };
  } catch {
    return emptyDraft();
  }
}
