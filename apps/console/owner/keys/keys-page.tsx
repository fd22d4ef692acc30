import { Alert, Button, Group, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import type { ApiKey } from '#client';
import { formatAgo, formatDay } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { PANEL_SIDES, Panel } from '../../shell/frame/panel.js';
import { Icon } from '../../shell/icons.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { RowMenu } from '../../shell/table/row-menu.js';
import { GoodBadge, QuietBadge, TestBadge } from '../parts/status-badge.js';
import { useSending } from '../parts/use-sending.js';
import { api } from '../session/api.js';
import { sessions } from '../session/session.js';
import { useSession } from '../session/use-session.js';
import { t } from '../words.js';
import { MakeKey } from './make-key.js';
import { RotateKey } from './rotate-key.js';
import { useKeys } from './use-keys.js';

export default function KeysPage() {
  const session = useSession();
  const mayManage = session.scopes.includes('manage');
  const [isMaking, setIsMaking] = useState(false);
  return (
    <>
      <PageHead
        title={t.keys.title}
        about={t.keys.about}
        actions={mayManage && <Button onClick={() => setIsMaking(true)}>{t.keys.make}</Button>}
      />
      {mayManage ? (
        <KeyList />
      ) : (
        <Alert icon={<Icon name="keys" />} color="gray">
          {t.keys.forbidden}
        </Alert>
      )}
      {isMaking && <MakeKey onClose={() => setIsMaking(false)} />}
    </>
  );
}

function KeyList() {
  const { keyId: ownKeyId } = useSession();
  const list = useKeys();
  const [hasEnded, setHasEnded] = useState(false);
  const [asked, setAsked] = useState<ApiKey>();
  const [rotated, setRotated] = useState<ApiKey>();
  const notices = useNotices();
  const { isBusy, send } = useSending();
  const revoke = async (key: ApiKey) => {
    await send(async () => {
      await api.request(`/v1/account/keys/${key.keyId}/revoke`, { method: 'POST' });
      notices.done(t.keys.revoked(nameOf(key)));
      if (key.keyId === ownKeyId) sessions.end();
    });
    setAsked(undefined);
  };
  return (
    <>
      <Panel flush>
        <QueryView query={list}>
          {(keys) => (
            <>
              <DataTable
                label={t.keys.title}
                rows={keys.filter(({ status }) => hasEnded || status === 'active')}
                keyOf={({ keyId }) => keyId}
                empty={
                  <EmptyState icon="keys" title={t.keys.none.title}>
                    {t.keys.none.about}
                  </EmptyState>
                }
                columns={columnsOf(ownKeyId, setRotated, setAsked)}
              />
              {keys.some(({ status }) => status !== 'active') && (
                <Group px={PANEL_SIDES} py="sm">
                  <Switch
                    size="sm"
                    label={t.keys.showEnded}
                    checked={hasEnded}
                    onChange={(event) => setHasEnded(event.currentTarget.checked)}
                  />
                </Group>
              )}
            </>
          )}
        </QueryView>
      </Panel>
      {rotated !== undefined && (
        <RotateKey
          apiKey={rotated}
          name={nameOf(rotated)}
          isOwn={rotated.keyId === ownKeyId}
          onClose={() => setRotated(undefined)}
        />
      )}
      <ConfirmDialog
        isOpen={asked !== undefined}
        title={asked === undefined ? '' : t.keys.revokeTitle(nameOf(asked))}
        act={t.keys.revoke}
        isDangerous
        isBusy={isBusy}
        onConfirm={() => asked !== undefined && void revoke(asked)}
        onClose={() => setAsked(undefined)}
      >
        {asked !== undefined && (
          <>
            <p>{t.keys.revokeAbout}</p>
            <p>{lastUseOf(asked, ownKeyId)}</p>
          </>
        )}
      </ConfirmDialog>
    </>
  );
}

function columnsOf(
  ownKeyId: string,
  onRotate: (key: ApiKey) => void,
  onRevoke: (key: ApiKey) => void,
): Column<ApiKey>[] {
  const { columns: heads, scopes: scopeWords, status: statusWords } = t.keys;
  return [
    {
      key: 'name',
      head: heads.name,
      isMain: true,
      cell: (key) => (
        <div>
          <Text size="sm" fw={500} truncate className="written">
            {nameOf(key)}
          </Text>
          <Text size="xs" c="dimmed" className="mono">
            {key.keyId}
            {key.keyId === ownKeyId && ` · ${t.keys.own}`}
          </Text>
        </div>
      ),
    },
    {
      key: 'status',
      head: heads.status,
      wideOnly: true,
      cell: ({ status, test }) => {
        if (status !== 'active') return <QuietBadge>{statusWords[status]}</QuietBadge>;
        return test ? <TestBadge>{t.keys.test}</TestBadge> : <GoodBadge>{statusWords.active}</GoodBadge>;
      },
    },
    {
      key: 'scopes',
      head: heads.scopes,
      wideOnly: true,
      cell: ({ scopes }) => scopes.map((scope) => scopeWords[scope]).join(', '),
    },
    {
      key: 'networks',
      head: heads.networks,
      isProse: true,
      wideOnly: true,
      cell: ({ networks }) => (networks.length === 0 ? t.keys.anywhere : networks.join(', ')),
    },
    {
      key: 'used',
      head: heads.lastUsed,
      isNumber: true,
      // The service notes a use some seconds later.
      cell: ({ keyId, lastUsedAt }) => {
        if (keyId === ownKeyId) return t.keys.usedNow;
        return lastUsedAt === null ? t.keys.never : formatAgo(lastUsedAt);
      },
    },
    {
      key: 'expires',
      head: heads.expires,
      isNumber: true,
      wideOnly: true,
      cell: ({ expiresAt }) => (expiresAt === null ? t.keys.never : formatDay(expiresAt)),
    },
    {
      key: 'acts',
      head: t.keys.actsHead,
      isHeadHidden: true,
      isNumber: true,
      cell: (key) =>
        key.status === 'active' && (
          <RowMenu
            label={t.keys.acts(nameOf(key))}
            acts={[
              { label: t.keys.rotate, onClick: () => onRotate(key) },
              { label: t.keys.revoke, onClick: () => onRevoke(key), isDangerous: true },
            ]}
          />
        ),
    },
  ];
}

/** A person who revokes a key wants to know whether something still uses it. */
function lastUseOf({ keyId, lastUsedAt }: ApiKey, ownKeyId: string): string {
  if (keyId === ownKeyId) return t.keys.revokeOwn;
  return lastUsedAt === null ? t.keys.revokeUnused : t.keys.revokeUsed(formatAgo(lastUsedAt));
}

function nameOf({ name }: ApiKey): string {
  return name === '' ? t.keys.unnamed : name;
}
