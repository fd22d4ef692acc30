import { Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatCount } from '../../shell/format-numbers.js';
import { formatTime } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { AccountLink } from '../parts/account-link.js';
import { Facts } from '../parts/facts.js';
import { FormDialog } from '../parts/form-dialog.js';
import { StateWord } from '../parts/state-word.js';
import { messageTone } from '../parts/tones.js';
import { useAct } from '../parts/use-act.js';
import { usePolled } from '../parts/use-polled.js';
import { LONG } from '../session/api.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import type { ActiveHold, Held, Hold } from './hold.js';
import { ResolveHold } from './resolve-hold.js';

/** Each look reads every open message, so the page asks again only when somebody wants it. */
export default function HoldPage() {
  const may = useMay();
  const hold = usePolled<Hold>('/hold', { isLong: true });
  const [isSetting, setSetting] = useState(false);
  const isActive = hold.data?.isActive === true;
  return (
    <>
      <PageHead
        title={t.hold.title}
        about={t.hold.about}
        actions={
          <>
            <UpdatedNote query={hold} />
            {!isActive && hold.data !== undefined && may('hold.set') && (
              <Button variant="default" onClick={() => setSetting(true)}>
                {t.hold.set}
              </Button>
            )}
          </>
        }
      />
      <QueryView query={hold}>
        {(data) =>
          data.isActive ? (
            <Active hold={data} />
          ) : (
            <Panel>
              <EmptyState icon="check" title={t.hold.off}>
                {t.hold.offAbout}
              </EmptyState>
            </Panel>
          )
        }
      </QueryView>
      {isSetting && <SetHold onClose={() => setSetting(false)} />}
    </>
  );
}

function Active({ hold }: { readonly hold: ActiveHold }) {
  const may = useMay();
  const notices = useNotices();
  const [asked, setAsked] = useState<Held>();
  const [isReleasing, setReleasing] = useState(false);
  const release = useAct<{ readonly released: number }>({
    onDone: ({ released }) => {
      setReleasing(false);
      notices.done(t.hold.released(released));
    },
  });
  const columns: readonly Column<Held>[] = [
    {
      key: 'account',
      head: t.hold.account,
      isMain: true,
      cell: ({ accountId, accountName }) => <AccountLink accountId={accountId} name={accountName} />,
    },
    {
      key: 'state',
      head: t.hold.state,
      cell: ({ state }) => <StateWord tone={messageTone(state)} word={t.messages.states[state] ?? state} />,
    },
    { key: 'count', head: t.hold.count, isNumber: true, cell: ({ orders }) => formatCount(orders) },
    {
      key: 'doubt',
      head: t.hold.inDoubt,
      isNumber: true,
      wideOnly: true,
      cell: ({ inDoubt }) => formatCount(inDoubt),
    },
    {
      key: 'expired',
      head: t.hold.expired,
      isNumber: true,
      wideOnly: true,
      cell: ({ expired }) => formatCount(expired),
    },
    {
      key: 'oldest',
      head: t.hold.oldest,
      isNumber: true,
      wideOnly: true,
      cell: ({ oldestAt }) => formatTime(oldestAt),
    },
    {
      key: 'acts',
      head: t.actions,
      isHeadHidden: true,
      cell: (held) =>
        may('hold.resolve') && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`${t.hold.resolve}: ${held.accountName}, ${held.state}`}
            onClick={() => setAsked(held)}
          >
            {t.hold.resolve}
          </Button>
        ),
    },
  ];
  return (
    <Stack gap="md">
      <Panel>
        <Facts
          facts={[
            [t.hold.reason, hold.reason],
            [t.hold.heldBefore, formatTime(hold.heldBefore)],
            [t.hold.setAt, formatTime(hold.setAt)],
            [t.hold.messages, formatCount(hold.messages)],
          ]}
        />
      </Panel>
      <Panel flush>
        <DataTable
          label={t.hold.messages}
          columns={columns}
          rows={hold.held}
          keyOf={({ accountId, state }) => `${accountId} ${state}`}
          empty={<EmptyState icon="check" title={t.hold.nothing} />}
        />
      </Panel>
      {may('hold.release') && (
        <div>
          <Button variant="default" onClick={() => setReleasing(true)}>
            {t.hold.release}
          </Button>
        </div>
      )}
      {asked !== undefined && <ResolveHold held={asked} onClose={() => setAsked(undefined)} />}
      <ConfirmDialog
        isOpen={isReleasing}
        title={t.hold.releaseTitle}
        act={t.hold.release}
        isDangerous
        isBusy={release.isPending}
        onConfirm={() => release.mutate({ path: '/hold/release', ...LONG })}
        onClose={() => setReleasing(false)}
      >
        {t.hold.releaseAbout(hold.messages)}
      </ConfirmDialog>
    </Stack>
  );
}

function SetHold({ onClose }: { readonly onClose: () => void }) {
  const notices = useNotices();
  const [reason, setReason] = useState('');
  const set = useAct({
    isQuiet: true,
    onDone: () => {
      notices.done(t.hold.setDone);
      onClose();
    },
  });
  return (
    <FormDialog
      isOpen
      title={t.hold.setTitle}
      about={t.hold.setAbout}
      act={t.hold.set}
      isDangerous
      isBusy={set.isPending}
      isReady={reason.trim() !== ''}
      error={set.error}
      labels={{ reason: t.hold.reason }}
      onSubmit={() => set.mutate({ path: '/hold', method: 'PUT', body: { reason: reason.trim() } })}
      onClose={onClose}
    >
      <TextInput
        label={t.hold.reason}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={500}
        data-autofocus
        required
      />
    </FormDialog>
  );
}
