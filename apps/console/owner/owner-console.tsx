import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { AppFrame } from '../shell/frame/app-frame.js';
import { KnownPages, Pages } from '../shell/frame/not-found.js';
import { FrameHead } from './frame-head.js';
import { navigation } from './navigation.js';
import { routes } from './routes.js';
import { SignInAgain } from './session/sign-in-again.js';
import { SignInPage } from './session/sign-in-page.js';
import { TestBand } from './session/test-band.js';
import { SessionContext, useSessionState } from './session/use-session.js';

const paths = routes.map(({ path }) => path);

export function OwnerConsole() {
  const state = useSessionState();
  const queries = useQueryClient();
  const accountId = state.kind === 'signedIn' ? state.session.accountId : undefined;
  // What one account has read is never shown to another.
  useEffect(() => (accountId === undefined ? undefined : () => queries.clear()), [accountId, queries]);
  if (state.kind === 'signedOut') {
    return (
      <KnownPages paths={paths}>
        <SignInPage />
      </KnownPages>
    );
  }
  const { session, isOver } = state;
  return (
    <SessionContext.Provider value={session}>
      <AppFrame sections={navigation} head={<FrameHead />} banner={session.test ? <TestBand /> : null}>
        <Pages routes={routes} />
      </AppFrame>
      <SignInAgain session={session} isOver={isOver} />
    </SessionContext.Provider>
  );
}
