import { createContext, useContext, useSyncExternalStore } from 'react';
import { type Session, sessions } from './session.js';

export const useSessionState = () => useSyncExternalStore(sessions.subscribe, sessions.read);

export const SessionContext = createContext<Session | undefined>(undefined);

/** Of the person that is signed in: every page but the one to sign in has one. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('nobody is signed in');
  return session;
}
