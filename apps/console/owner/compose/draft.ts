import { useCallback, useState } from 'react';
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

export function useDraft(tabKey: string) {
  const key = `${KEY}.${tabKey}`;
  const [draft, setDraft] = useState<Draft>(() => kept(key));
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
