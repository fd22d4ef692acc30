import { Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { useNotices } from '../../shell/frame/notices.js';
import { FormDialog } from '../parts/form-dialog.js';
import { useAct } from '../parts/use-act.js';
import { LONG } from '../session/api.js';
import { t } from '../words.js';
import type { Held } from './hold.js';

/** Decides about the held messages of one account that are in one state. */
export function ResolveHold({ held, onClose }: { readonly held: Held; readonly onClose: () => void }) {
  const { accountId, accountName, state, orders } = held;
  const notices = useNotices();
  const [way, setWay] = useState('');
  const resolve = useAct<{ readonly resolved: number; readonly byReceipt: number }>({
    isQuiet: true,
    onDone: ({ resolved, byReceipt }) => {
      notices.done(t.hold.resolved(resolved + byReceipt));
      onClose();
    },
  });
  return (
    <FormDialog
      isOpen
      title={t.hold.resolveTitle(accountName)}
      act={t.hold.wayActs[way]?.(orders) ?? t.hold.resolve}
      isDangerous
      isBusy={resolve.isPending}
      isReady={way !== ''}
      error={resolve.error}
      onSubmit={() => resolve.mutate({ path: '/hold/resolve', body: { as: way, account: accountId, state }, ...LONG })}
      onClose={onClose}
    >
      <Radio.Group label={t.hold.heldIn(orders, t.messages.states[state] ?? state)} value={way} onChange={setWay}>
        <Stack gap="sm" mt="sm">
          {Object.entries(t.hold.ways).map(([value, [label, about]]) => (
            <Radio key={value} value={value} label={label} description={about} />
          ))}
        </Stack>
      </Radio.Group>
    </FormDialog>
  );
}
