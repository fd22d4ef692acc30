import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { formatCount } from '../../shell/format-numbers.js';
import { formatAgo } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { ShownOnce } from '../../shell/states/shown-once.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { StateWord } from '../parts/state-word.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { useMay, useMe } from '../session/use-session.js';
import { t } from '../words.js';
import { AddPerson } from './add-person.js';
import type { NewPassword, Operator } from './operator.js';
import { PersonActs } from './person-acts.js';
import { TokenTable } from './token-table.js';

export default function PeoplePage() {
  const may = useMay();
  const me = useMe();
  const operators = usePolled<{ readonly data: readonly Operator[] }>('/operators', { everyMs: SLOW_MS });
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<NewPassword>();
  const columns: readonly Column<Operator>[] = [
    {
      key: 'name',
      head: t.people.name,
      isMain: true,
      cell: ({ name }) => (
        <>
          <Text component="span" size="sm" fw={600}>
            {name}
          </Text>
          {name === me.name && (
            <Text component="span" size="xs" c="dimmed" ml={8}>
              {t.people.you}
            </Text>
          )}
        </>
      ),
    },
    { key: 'role', head: t.people.role, cell: ({ role }) => t.roles[role] ?? role },
    { key: 'status', head: t.people.status, cell: (operator) => <Status operator={operator} /> },
    {
      key: 'factor',
      head: t.people.factor,
      wideOnly: true,
      cell: ({ hasSecondFactor }) => (
        <StateWord tone={hasSecondFactor ? 'good' : 'warn'} word={hasSecondFactor ? t.people.on : t.people.off} />
      ),
    },
    {
      key: 'sessions',
      head: t.people.sessions,
      isNumber: true,
      wideOnly: true,
      cell: ({ sessions }) => formatCount(sessions),
    },
    {
      key: 'seen',
      head: t.people.lastSignIn,
      isNumber: true,
      wideOnly: true,
      cell: ({ lastSignInAt }) => (lastSignInAt === null ? t.people.never : formatAgo(lastSignInAt)),
    },
    {
      key: 'acts',
      head: t.actions,
      isHeadHidden: true,
      cell: (operator) => <PersonActs operator={operator} isSelf={operator.name === me.name} onPassword={setMade} />,
    },
  ];
  return (
    <>
      <PageHead
        title={t.people.title}
        actions={may('operator.add') && <Button onClick={() => setAdding(true)}>{t.people.add}</Button>}
      />
      <Stack gap="md">
        <Panel flush>
          <QueryView query={operators}>
            {({ data }) => (
              <DataTable
                label={t.people.title}
                columns={columns}
                rows={data}
                keyOf={({ name }) => name}
                empty={<EmptyState icon="people" title={t.people.none} />}
              />
            )}
          </QueryView>
        </Panel>
        {may('operator.token.list') && <TokenTable />}
      </Stack>
      {isAdding && <AddPerson onClose={() => setAdding(false)} onMade={setMade} />}
      <ShownOnce
        isOpen={made !== undefined}
        title={t.people.added(made?.name ?? '')}
        secret={made?.password ?? ''}
        onClose={() => setMade(undefined)}
      />
    </>
  );
}

function Status({ operator: { status, lockedUntil, mustChangePassword } }: { readonly operator: Operator }) {
  if (status === 'disabled') return <StateWord tone="quiet" word={t.people.disabled} />;
  if (lockedUntil !== null) return <StateWord tone="bad" word={t.people.locked} />;
  if (mustChangePassword) return <StateWord tone="warn" word={t.people.newPassword} />;
  return <StateWord tone="good" word={t.people.active} />;
}
