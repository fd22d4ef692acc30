import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useNotices } from '../../shell/frame/notices.js';
import { Panel } from '../../shell/frame/panel.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { ShownOnce } from '../../shell/states/shown-once.js';
import { StateWord } from '../parts/state-word.js';
import { useAct } from '../parts/use-act.js';
import { loadMe } from '../session/api.js';
import { useMe } from '../session/use-session.js';
import { t } from '../words.js';
import { EnrolDevice, type Enrolment } from './enrol-device.js';

/** Turns one-time codes on and off, and makes recovery codes. */
export function SecondFactor() {
  const { hasSecondFactor, recoveryCodesLeft } = useMe();
  const notices = useNotices();
  const [codes, setCodes] = useState<readonly string[]>();
  const [enrolment, setEnrolment] = useState<Enrolment>();
  const [isAsking, setAsking] = useState(false);
  const begin = useAct<Enrolment>({ onDone: setEnrolment });
  const renew = useAct<{ readonly recoveryCodes: readonly string[] }>({
    onDone: ({ recoveryCodes }) => setCodes(recoveryCodes),
  });
  const disable = useAct<undefined>({
    onDone: () => {
      setAsking(false);
      notices.done(t.me.factor.disabled);
      void loadMe();
    },
  });
  return (
    <Panel title={t.me.factor.title}>
      <Stack gap="md" align="flex-start">
        <StateWord tone={hasSecondFactor ? 'good' : 'warn'} word={hasSecondFactor ? t.me.factor.on : t.me.factor.off} />
        <Text size="sm">{hasSecondFactor ? t.me.factor.onAbout(recoveryCodesLeft) : t.me.factor.offAbout}</Text>
        {hasSecondFactor ? (
          <Group gap="xs">
            <Button
              variant="default"
              loading={renew.isPending}
              onClick={() => renew.mutate({ path: '/me/recovery-codes' })}
            >
              {t.me.factor.renew}
            </Button>
            <Button variant="default" c="var(--mantine-color-error)" onClick={() => setAsking(true)}>
              {t.me.factor.disable}
            </Button>
          </Group>
        ) : (
          enrolment === undefined && (
            <Button loading={begin.isPending} onClick={() => begin.mutate({ path: '/me/second-factor' })}>
              {t.me.factor.begin}
            </Button>
          )
        )}
        {enrolment !== undefined && !hasSecondFactor && (
          <EnrolDevice
            enrolment={enrolment}
            onEnabled={(recoveryCodes) => {
              setCodes(recoveryCodes);
              setEnrolment(undefined);
            }}
          />
        )}
      </Stack>
      <ShownOnce
        isOpen={codes !== undefined}
        title={t.me.factor.codesTitle}
        about={t.me.factor.codesAbout}
        secret={codes?.join('\n') ?? ''}
        onClose={() => {
          setCodes(undefined);
          void loadMe();
        }}
      />
      <ConfirmDialog
        isOpen={isAsking}
        title={t.me.factor.disable}
        act={t.me.factor.disable}
        isDangerous
        isBusy={disable.isPending}
        onConfirm={() => disable.mutate({ path: '/me/second-factor', method: 'DELETE' })}
        onClose={() => setAsking(false)}
      >
        {t.me.factor.disableSure}
      </ConfirmDialog>
    </Panel>
  );
}
