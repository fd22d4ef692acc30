import { Button, Modal, SimpleGrid, Stack, Table, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { MOMENT } from '../../shell/date-fields.js';
import { formatTime } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { PANEL_SIDES, Panel } from '../../shell/frame/panel.js';
import { Icon } from '../../shell/icons.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { fieldFaults } from '../../shell/states/refusal-text.js';
import { type Column } from '../../shell/table/data-table.js';
import { ListView } from '../../shell/table/list-view.js';
import { ScrollBox } from '../../shell/table/scroll-box.js';
import { useAddress } from '../../shell/use-address.js';
import { useTyped } from '../../shell/use-typed.js';
import { instantOf } from '../messages/message-filters.js';
import { AccountLink } from '../parts/account-link.js';
import { PAGE_ROWS, type Page } from '../parts/page.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { t } from '../words.js';

interface Entry {
  readonly changeId: string;
  readonly at: string;
  readonly operator: string;
  readonly actor: Readonly<Record<string, unknown>>;
  readonly subject: string;
  readonly subjectId: string;
  readonly accountId: string | null;
  readonly accountName: string | null;
  readonly action: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

const FILTERS = ['by', 'subject', 'account', 'since', 'until'] as const;
type Filters = Record<(typeof FILTERS)[number], string>;

export default function AuditPage() {
  const { values, change, place, moveTo } = useAddress(FILTERS);
  const { since, until, ...rest } = values;
  const [shown, setShown] = useState<Entry>();
  const audit = usePolled<Page<Entry>>('/audit-log', {
    ...(place.cursor === undefined && { everyMs: SLOW_MS }),
    query: { ...rest, since: instantOf(since), until: instantOf(until), limit: PAGE_ROWS, cursor: place.cursor },
  });
  const columns: readonly Column<Entry>[] = [
    { key: 'at', head: t.audit.at, cell: ({ at }) => formatTime(at) },
    { key: 'by', head: t.audit.by, wideOnly: true, cell: ({ operator }) => operator },
    {
      key: 'what',
      head: t.audit.subject,
      isMain: true,
      cell: ({ subject, subjectId, operator }) => (
        <>
          {`${subject} ${subjectId}`}
          <Text size="xs" c="dimmed" className="narrow-only">
            {operator}
          </Text>
        </>
      ),
    },
    { key: 'action', head: t.audit.action, wideOnly: true, cell: ({ action }) => action },
    {
      key: 'account',
      head: t.audit.account,
      wideOnly: true,
      cell: ({ accountId, accountName }) =>
        accountId === null ? '' : <AccountLink accountId={accountId} name={accountName ?? ''} />,
    },
    {
      key: 'details',
      head: t.actions,
      isHeadHidden: true,
      cell: (entry) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`${t.audit.details}: ${entry.subject} ${entry.subjectId}`}
          onClick={() => setShown(entry)}
        >
          {t.audit.details}
        </Button>
      ),
    },
  ];
  return (
    <>
      <PageHead
        title={t.audit.title}
        about={t.audit.about}
        actions={
          <Button
            component="a"
            href={exportOf({ ...rest, since: instantOf(since), until: instantOf(until) })}
            download
            variant="default"
            size="sm"
            leftSection={<Icon name="download" size={16} />}
          >
            {t.audit.export}
          </Button>
        }
      />
      <Panel flush>
        <AuditFilters values={values} faults={fieldFaults(audit.error)} onChange={change} />
        <ListView
          query={audit}
          fields={FILTERS}
          label={t.audit.title}
          columns={columns}
          keyOf={({ changeId }) => changeId}
          empty={
            <EmptyState icon="audit" title={t.audit.none}>
              {t.audit.noneAbout}
            </EmptyState>
          }
          place={place}
          onMove={moveTo}
        />
      </Panel>
      <Modal
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={`${shown?.subject ?? ''} ${shown?.subjectId ?? ''}`}
        size="lg"
      >
        {shown !== undefined && <Details entry={shown} />}
      </Modal>
    </>
  );
}

/** Where the changes that fit are a file. */
function exportOf(filters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(filters).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return `/api/audit-log/export?${new URLSearchParams(given)}`;
}

interface AuditFiltersProps {
  readonly values: Filters;
  readonly faults: Readonly<Record<string, ReactNode>>;
  readonly onChange: (changes: Partial<Filters>) => void;
}

function AuditFilters({ values, faults, onChange }: AuditFiltersProps) {
  const { submit, text } = useTyped(values, onChange, faults);
  return (
    <form onSubmit={submit} aria-label={t.audit.title}>
      <SimpleGrid cols={{ base: 2, xs: 3, xl: 6 }} spacing="sm" px={PANEL_SIDES} pt="md" pb="xs">
        <TextInput {...text('by', t.audit.by)} size="xs" spellCheck={false} />
        <TextInput {...text('subject', t.audit.subject)} size="xs" placeholder="carrier" spellCheck={false} />
        <TextInput {...text('account', t.audit.account)} size="xs" inputMode="numeric" />
        <TextInput {...text('since', t.audit.since)} size="xs" {...MOMENT} />
        <TextInput {...text('until', t.audit.until)} size="xs" {...MOMENT} />
        <Button type="submit" size="xs" variant="default" style={{ alignSelf: 'end' }}>
          {t.filter}
        </Button>
      </SimpleGrid>
    </form>
  );
}

/** Each field before and after, those that changed in bold. */
function Details({ entry: { at, operator, action, actor, before, after } }: { readonly entry: Entry }) {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <Stack gap="sm">
      <Text size="sm">{`${formatTime(at)}, ${operator}: ${action}`}</Text>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {Object.entries(actor)
          .map(([name, value]) => `${name}: ${String(value)}`)
          .join(', ')}
      </Text>
      {fields.length > 0 && (
        <ScrollBox label={t.audit.details}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{t.audit.field}</Table.Th>
                <Table.Th scope="col">{t.audit.before}</Table.Th>
                <Table.Th scope="col">{t.audit.after}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {fields.map((field) => (
                <Table.Tr key={field} fw={textOf(before?.[field]) === textOf(after?.[field]) ? 400 : 600}>
                  <Table.Td>{field}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{textOf(before?.[field])}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{textOf(after?.[field])}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollBox>
      )}
    </Stack>
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
