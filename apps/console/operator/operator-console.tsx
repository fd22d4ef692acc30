import { useQuery } from '@tanstack/react-query';
import { AppFrame } from '../shell/frame/app-frame.js';
import { KnownPages, Pages } from '../shell/frame/not-found.js';
import { ErrorPanel } from '../shell/states/error-panel.js';
import { LoadingLines } from '../shell/states/query-view.js';
import { FrameHead } from './frame-head.js';
import { navigationOf } from './navigation.js';
import { routes } from './routes.js';
import { loadMe } from './session/api.js';
import { ChoosePasswordPage } from './session/choose-password-page.js';
import { ConfirmIdentity } from './session/confirm-identity.js';
import type { Me } from './session/session.js';
import { SignInAgain } from './session/sign-in-again.js';
import { SignInPage } from './session/sign-in-page.js';
import { MeContext, useSessionState } from './session/use-session.js';
import { t } from './words.js';

const paths = routes.map(({ path }) => path);

export function OperatorConsole() {
  const state = useSessionState();
  // Whether somebody is signed in stands in a cookie that no script can read, so the service is asked.
  const asked = useQuery({
    queryKey: ['who'],
    queryFn: () => loadMe().then(() => true),
    enabled: state.kind === 'unknown',
  });
  if (state.kind === 'unknown') {
    if (asked.isError) return <ErrorPanel error={asked.error} onRetry={() => void asked.refetch()} />;
    return <LoadingLines />;
  }
  if (state.kind === 'signedOut') {
    return (
      <KnownPages paths={paths} subtitle={t.name}>
        <SignInPage />
      </KnownPages>
    );
  }
  const { me, isOver } = state;
  return (
    <MeContext.Provider value={me}>
      {me.mustChangePassword ? <ChoosePasswordPage /> : <Frame me={me} />}
      <ConfirmIdentity />
      <SignInAgain name={me.name} isOver={isOver} />
    </MeContext.Provider>
  );
}

function Frame({ me }: { readonly me: Me }) {
  const may = (useCase: string) => me.may.includes(useCase);
  return (
    <AppFrame subtitle={t.name} sections={navigationOf(may)} head={<FrameHead />}>
      <Pages routes={routes} />
    </AppFrame>
  );
}
