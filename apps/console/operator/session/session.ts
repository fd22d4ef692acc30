export type Role = 'viewer' | 'support' | 'finance' | 'admin';

/** What `GET /api/me` answers. */
export interface Me {
  readonly name: string;
  readonly role: Role;
  /** The use cases that the role allows; the console offers nothing else. */
  readonly may: readonly string[];
  readonly mustChangePassword: boolean;
  readonly hasSecondFactor: boolean;
  readonly recoveryCodesLeft: number;
}

type State =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'signedOut' }
  /** `isOver`: the session has ended, and the page waits until the person has signed in again. */
  | { readonly kind: 'signedIn'; readonly me: Me; readonly isOver: boolean };

/** Who is signed in with this browser: without it, the service need not be asked. The session itself is not here. */
const HINT = 'heliograph.operator';

let state: State = { kind: localStorage.getItem(HINT) === null ? 'signedOut' : 'unknown' };
const listeners = new Set<() => void>();

/** Who is signed in. The session itself is a cookie that scripts cannot read. */
export const sessions = {
  read: (): State => state,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  begin: (me: Me): void => {
    localStorage.setItem(HINT, me.name);
    change({ kind: 'signedIn', me, isOver: false });
  },
  /** The service no longer knows the session. */
  expire: (): void => change(state.kind === 'signedIn' ? { ...state, isOver: true } : { kind: 'signedOut' }),
  end: (): void => {
    localStorage.removeItem(HINT);
    change({ kind: 'signedOut' });
  },
};

// The tabs of a browser have one session. What one person has opened is not for another one to look at, or act on.
window.addEventListener('storage', ({ key, newValue }) => {
  if (key === HINT && state.kind === 'signedIn') change({ ...state, isOver: newValue !== state.me.name });
});

function change(next: State): void {
  state = next;
  for (const listener of listeners) listener();
}
