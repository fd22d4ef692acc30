import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { CopyButton } from '../../shell/states/copy-button.js';
import { FaultText } from '../../shell/states/fault-text.js';
import { read } from '../session/api.js';
import { t } from '../words.js';
import classes from './enrol-device.module.css';

export interface Enrolment {
  readonly secret: string;
  readonly qrCode: string;
}

interface EnrolDeviceProps {
  readonly enrolment: Enrolment;
  readonly onEnabled: (recoveryCodes: readonly string[]) => void;
}

/** Shows the secret as a picture and as text; a code of the device ends the enrolment. */
export function EnrolDevice({ enrolment: { secret, qrCode }, onEnabled }: EnrolDeviceProps) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // The button that began this is gone. The picture stays in view.
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const answer = await read<{ readonly recoveryCodes: readonly string[] }>('/me/second-factor', {
        method: 'PUT',
        body: { code: code.trim() },
      });
      onEnabled(answer.recoveryCodes);
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Text size="sm">{t.me.factor.scan}</Text>
        <img className={classes.picture} src={qrCode} alt={t.me.factor.qr} width="184" height="184" />
        <Group gap={4} wrap="nowrap">
          <Code style={{ overflowWrap: 'anywhere' }}>{secret}</Code>
          <CopyButton text={secret} what={t.me.factor.secret} />
        </Group>
        <Group align="flex-end" gap="xs">
          <TextInput
            ref={field}
            label={t.me.factor.code}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            inputMode="numeric"
            autoComplete="one-time-code"
            w="10rem"
            required
          />
          <Button type="submit" loading={isBusy} disabled={code.trim() === ''}>
            {t.me.factor.enable}
          </Button>
        </Group>
        <FaultText error={error} own={{ sign_in_failed: t.me.factor.wrong }} />
      </Stack>
    </form>
  );
}
