import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { formatAgo, formatDay } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { PANEL_SIDES } from '../../shell/frame/panel.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { ShownOnce } from '../../shell/states/shown-once.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { RowMenu } from '../../shell/table/row-menu.js';
import { StateWord } from '../parts/state-word.js';
import { useAct } from '../parts/use-act.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { type Account, type ApiKey, accountPath } from './account.js';
import { NewKey } from './new-key.js';

/** The keys of an account; those that are over stay folded. */
export function KeyTable({ account: { accountId, status } }: { readonly account: Account }) {
  const isOpen = status !== 'closed';
  const may = useMay();
  const notices = useNotices();
  const keys = usePolled<readonly ApiKey[]>(`${accountPath(accountId)}/keys`, { everyMs: SLOW_MS });
  const [isAll, setIsAll] = useState(false);
  const [isMaking, setIsMaking] = useState(false);
  const [asked, setAsked] = useState<ApiKey>();
  const [rotated, setRotated] = useState<ApiKey>();
  const revoke = useAct<ApiKey>({
    onDone: () => {
      setAsked(undefined);
      notices.done(t.accounts.revoked);
    },
  });
  const columns: readonly Column<ApiKey>[] = [
    { key: 'id', head: t.accounts.key, wideOnly: true, cell: ({ keyId }) => <span className="mono">{keyId}</span> },
    {
      key: 'name',
      head: t.accounts.keyName,
      isMain: true,
      cell: ({ keyId, name, test }) => (
        <>
          {name}
          {test && (
            <Text component="span" size="xs" c="dimmed" ml={name === '' ? 0 : 8}>
              {t.accounts.test}
            </Text>
          )}
          <Text size="xs" c="dimmed" className="mono narrow-only">
            {keyId}
          </Text>
        </>
      ),
    },
    { key: 'scopes', head: t.accounts.scopes, wideOnly: true, cell: ({ scopes }) => scopes.join(', ') },
    {
      key: 'status',
      head: t.accounts.keyStatus,
      cell: ({ status }) => <StateWord tone={status === 'active' ? 'good' : 'quiet'} word={status} />,
    },
    {
      key: 'use',
      head: t.accounts.lastUse,
      isNumber: true,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t.accounts.never : formatAgo(lastUsedAt)),
    },
    {
      key: 'expires',
      head: t.accounts.expires,
      isNumber: true,
      wideOnly: true,
      cell: ({ expiresAt }) => (expiresAt === null ? t.accounts.never : formatDay(expiresAt)),
    },
    {
      key: 'acts',
      head: t.actions,
      isHeadHidden: true,
      cell: (key) =>
        key.status === 'active' && (
          <RowMenu
            label={`${t.more}: ${key.keyId}`}
            acts={[
              { label: t.accounts.rotate, onClick: () => setRotated(key), isOffered: isOpen && may('key.rotate') },
              {
                label: t.accounts.revoke,
                onClick: () => setAsked(key),
                isOffered: may('key.revoke'),
                isDangerous: true,
              },
            ]}
          />
        ),
    },
  ];
  return (
    <>
      <QueryView query={keys}>
        {(all) => {
          const over = all.filter(({ status }) => status !== 'active');
          return (
            <>
              <DataTable
                label={t.accounts.keys}
                columns={columns}
                rows={isAll ? all : all.filter(({ status }) => status === 'active')}
                keyOf={({ keyId }) => keyId}
                empty={
                  <EmptyState icon="keys" title={t.accounts.noKeys}>
                    {t.accounts.noKeysAbout}
                  </EmptyState>
                }
              />
              <Group px={PANEL_SIDES} py="md" gap="xs">
                {isOpen && may('key.create') && (
                  <Button size="xs" onClick={() => setIsMaking(true)}>
                    {t.accounts.newKey}
                  </Button>
                )}
                {over.length > 0 && !isAll && (
                  <Button size="xs" variant="subtle" onClick={() => setIsAll(true)}>
                    {t.accounts.showRevoked(over.length)}
                  </Button>
                )}
              </Group>
            </>
          );
        }}
      </QueryView>
      {isMaking && <NewKey accountId={accountId} onClose={() => setIsMaking(false)} />}
      {rotated !== undefined && <RotateKey keyId={rotated.keyId} onClose={() => setRotated(undefined)} />}
      <ConfirmDialog
        isOpen={asked !== undefined}
        title={t.accounts.revokeTitle(asked?.keyId ?? '')}
        act={t.accounts.revoke}
        isDangerous
        isBusy={revoke.isPending}
        onConfirm={() => asked !== undefined && revoke.mutate({ path: `/keys/${asked.keyId}/revoke` })}
        onClose={() => setAsked(undefined)}
      >
        {t.accounts.revokeAbout(asked?.lastUsedAt == null ? t.accounts.never : formatAgo(asked.lastUsedAt))}
      </ConfirmDialog>
    </>
  );
}

/** Makes a key like another one, and shows it once. */
function RotateKey({ keyId, onClose }: { readonly keyId: string; readonly onClose: () => void }) {
  const rotate = useAct<{ readonly apiKey: string }>();
  if (rotate.data !== undefined) {
    return <ShownOnce title={t.accounts.made} secret={rotate.data.apiKey} onClose={onClose} />;
  }
  return (
    <ConfirmDialog
      isOpen
      title={t.accounts.rotateTitle(keyId)}
      act={t.accounts.rotate}
      isBusy={rotate.isPending}
      onConfirm={() => rotate.mutate({ path: `/keys/${keyId}/rotate`, body: {} })}
      onClose={onClose}
    >
      {t.accounts.rotateAbout}
    </ConfirmDialog>
  );
}
