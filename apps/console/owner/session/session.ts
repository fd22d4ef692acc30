const KEY = 'heliograph.session';

export type Scope = 'send' | 'read' | 'manage';

/** What `POST /v1/console/token` answers. */
export interface Session {
  readonly token: string;
  readonly expiresAt: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly scopes: readonly Scope[];
  readonly test: boolean;
  /** What messages may have as their sender. */
  readonly senders?: readonly string[];
  /** The most messages of one request. */
  readonly batchMessagesMax?: number;
}

type State =
  | { readonly kind: 'signedOut' }
  /** `isOver`: the token has ended, and the page waits for a new one. */
  | { readonly kind: 'signedIn'; readonly session: Session; readonly isOver: boolean };

let state: State = readKept();
const listeners = new Set<() => void>();

/** The session of this tab: it ends with the tab, and is no cookie that other pages could use. */
export const sessions = {
  read: (): State => state,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  begin: (session: Session): void => {
    sessionStorage.setItem(KEY, JSON.stringify(session));
    change({ kind: 'signedIn', session, isOver: false });
  },
  /** The service no longer takes the token. */
  expire: (): void => {
    if (state.kind === 'signedIn') change({ ...state, isOver: true });
  },
  end: (): void => {
    // Drafts as well, and what an interrupted send needs: the next one at this screen may be somebody else.
    sessionStorage.clear();
    change({ kind: 'signedOut' });
  },
};

function change(next: State): void {
  state = next;
  for (const listener of listeners) listener();
}

function readKept(): State {
  try {
    const kept = sessionStorage.getItem(KEY);
    if (kept === null) return { kind: 'signedOut' };
    return { kind: 'signedIn', session: JSON.parse(kept) as Session, isOver: false };
  } catch {
    return { kind: 'signedOut' };
  }
}
