import { Button, Modal, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useIsSecretShown } from '../../shell/states/shown-secrets.js';
import { STAYS_OPEN } from '../../shell/states/stays-open.js';
import { t } from '../words.js';
import { api } from './api.js';
import { type Session, sessions } from './session.js';
import { SignInForm } from './sign-in-form.js';

/** Another dialog may be open when the session ends. */
const ABOVE_DIALOGS = 500;

/**
 * Lies over the page when the session is over: what somebody has typed there stays. It waits until a secret is kept:
 * the one who replaces the key of the session, from that moment on, needs the new key to sign in.
 */
export function SignInAgain({ session, isOver }: { readonly session: Session; readonly isOver: boolean }) {
  const queries = useQueryClient();
  const isSecretShown = useIsSecretShown();
  return (
    <Modal
      opened={isOver && !isSecretShown}
      onClose={() => undefined}
      withCloseButton={false}
      zIndex={ABOVE_DIALOGS}
      {...STAYS_OPEN}
      title={t.session.again}
    >
      <Text size="sm" mb="md">
        {t.session.over}
      </Text>
      <SignInForm
        onSignedIn={(next) => {
          if (next.accountId !== session.accountId || next.test !== session.test) return t.session.otherAccount;
          sessions.begin(next);
          void queries.invalidateQueries();
          return undefined;
        }}
      />
      <Button variant="subtle" color="gray" fullWidth mt="xs" onClick={() => leave(queries)}>
        {t.session.signOut}
      </Button>
    </Modal>
  );
}

/** Ends the token, and forgets it and all that was read with it. */
export function leave(queries: ReturnType<typeof useQueryClient>): void {
  // A token that cannot be ended now ends by itself.
  api.request('/v1/console/token', { method: 'DELETE' }).catch(() => undefined);
  sessions.end();
  queries.clear();
}
