import { createContext, useContext, useSyncExternalStore } from 'react';
import { type Me, sessions } from './session.js';

export const useSessionState = () => useSyncExternalStore(sessions.subscribe, sessions.read);

export const MeContext = createContext<Me | undefined>(undefined);

/** The person that is signed in: every page but those of the sign-in has one. */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === undefined) throw new Error('nobody is signed in');
  return me;
}

/** Tells whether the person may do something; what the role does not allow is not offered. */
export function useMay(): (useCase: string) => boolean {
  const { may } = useMe();
  return (useCase) => may.includes(useCase);
}
