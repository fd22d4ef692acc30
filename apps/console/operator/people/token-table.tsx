import { Button, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatAgo, formatDay } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { Panel } from '../../shell/frame/panel.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { ShownOnce } from '../../shell/states/shown-once.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { FormDialog } from '../parts/form-dialog.js';
import { StateWord } from '../parts/state-word.js';
import { useAct } from '../parts/use-act.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import type { Role } from '../session/session.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import type { Token } from './operator.js';
import { RoleChoice } from './role-choice.js';

const DAY_MS = 86_400_000;

/** The tokens with which programs use the operators' API. */
export function TokenTable() {
  const may = useMay();
  const notices = useNotices();
  const tokens = usePolled<{ readonly data: readonly Token[] }>('/tokens', { everyMs: SLOW_MS });
  const [isMaking, setMaking] = useState(false);
  const [asked, setAsked] = useState<Token>();
  const revoke = useAct<Token>({
    onDone: () => {
      setAsked(undefined);
      notices.done(t.people.revoked);
    },
  });
  const columns: readonly Column<Token>[] = [
    { key: 'name', head: t.people.tokenName, isMain: true, cell: ({ name }) => name },
    { key: 'role', head: t.people.role, cell: ({ role }) => t.roles[role] ?? role },
    {
      key: 'status',
      head: t.people.status,
      cell: ({ status }) => (
        <StateWord tone={status === 'active' ? 'good' : 'quiet'} word={t.people.tokenStatus[status] ?? status} />
      ),
    },
    { key: 'by', head: t.people.madeBy, wideOnly: true, cell: ({ madeBy }) => madeBy },
    {
      key: 'use',
      head: t.people.lastUse,
      isNumber: true,
      wideOnly: true,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t.people.never : formatAgo(lastUsedAt)),
    },
    {
      key: 'expires',
      head: t.people.expires,
      isNumber: true,
      wideOnly: true,
      cell: ({ expiresAt }) => formatDay(expiresAt),
    },
    {
      key: 'acts',
      head: t.actions,
      isHeadHidden: true,
      cell: (token) =>
        token.status === 'active' &&
        may('operator.token.revoke') && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`${t.people.revoke}: ${token.name}`}
            onClick={() => setAsked(token)}
          >
            {t.people.revoke}
          </Button>
        ),
    },
  ];
  return (
    <Panel
      title={t.people.tokens}
      actions={
        may('operator.token.add') && (
          <Button size="xs" variant="default" onClick={() => setMaking(true)}>
            {t.people.addToken}
          </Button>
        )
      }
      flush
    >
      <QueryView query={tokens}>
        {({ data }) => (
          <DataTable
            label={t.people.tokens}
            columns={columns}
            rows={data}
            keyOf={({ tokenId }) => tokenId}
            empty={
              <EmptyState icon="keys" title={t.people.noTokens}>
                {t.people.tokensAbout}
              </EmptyState>
            }
          />
        )}
      </QueryView>
      {isMaking && <MakeToken onClose={() => setMaking(false)} />}
      <ConfirmDialog
        isOpen={asked !== undefined}
        title={t.people.revokeTitle(asked?.name ?? '')}
        act={t.people.revoke}
        isDangerous
        isBusy={revoke.isPending}
        onConfirm={() => asked !== undefined && revoke.mutate({ path: `/tokens/${asked.tokenId}`, method: 'DELETE' })}
        onClose={() => setAsked(undefined)}
      >
        {t.people.revokeAbout}
      </ConfirmDialog>
    </Panel>
  );
}

function MakeToken({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [days, setDays] = useState('90');
  const make = useAct<{ readonly token: string }>({ isQuiet: true });
  if (make.data !== undefined) {
    return (
      <ShownOnce title={t.people.tokenMade} about={t.people.tokensAbout} secret={make.data.token} onClose={onClose} />
    );
  }
  return (
    <FormDialog
      isOpen
      title={t.people.addToken}
      act={t.people.addToken}
      isBusy={make.isPending}
      isReady={name.trim() !== '' && /^[1-9]\d{0,3}$/.test(days)}
      error={make.error}
      labels={{ name: t.people.tokenName, expiresAt: t.people.days }}
      onSubmit={() =>
        make.mutate({
          path: '/tokens',
          body: { name: name.trim(), role, expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() },
        })
      }
      onClose={onClose}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t.people.tokenName}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={100}
          data-autofocus
          required
        />
        <TextInput
          label={t.people.days}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          inputMode="numeric"
          required
        />
      </SimpleGrid>
      <RoleChoice role={role} onChange={setRole} />
    </FormDialog>
  );
}
