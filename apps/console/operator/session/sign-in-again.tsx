import { Button, Modal, Text } from '@mantine/core';
import { STAYS_OPEN } from '../../shell/states/stays-open.js';
import { t } from '../words.js';
import { leave, queries } from './api.js';
import { SignInForm } from './sign-in-form.js';

/** Lies over the page when the session is over: what somebody has typed there stays. */
export function SignInAgain({ name, isOver }: { readonly name: string; readonly isOver: boolean }) {
  return (
    <Modal
      opened={isOver}
      onClose={() => undefined}
      withCloseButton={false}
      title={t.session.again}
      zIndex={350}
      {...STAYS_OPEN}
    >
      <Text size="sm" mb="md">
        {t.session.over}
      </Text>
      {isOver && <SignInForm only={name} onSignedIn={() => void queries.invalidateQueries()} />}
      <Button variant="subtle" color="gray" fullWidth mt="xs" onClick={() => void leave()}>
        {t.session.otherPerson}
      </Button>
    </Modal>
  );
}
