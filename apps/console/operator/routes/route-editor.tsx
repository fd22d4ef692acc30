import { ActionIcon, Alert, Button, Group, NativeSelect, Stack, Table, TextInput, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useNotices } from '../../shell/frame/notices.js';
import { Panel } from '../../shell/frame/panel.js';
import { Icon } from '../../shell/icons.js';
import { FaultText } from '../../shell/states/fault-text.js';
import { ScrollBox } from '../../shell/table/scroll-box.js';
import type { Carrier } from '../carriers/carrier.js';
import { useAct } from '../parts/use-act.js';
import { usePolled } from '../parts/use-polled.js';
import { t } from '../words.js';
import { type Draft, draftOf, newDraft, type Replacement, type Route, wishOf } from './route.js';
import { RoutePreview } from './route-preview.js';

interface RouteEditorProps {
  readonly routes: readonly Route[];
  readonly onNotes: (notes: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Edits all routes together. Before they are replaced, the service says what that means and what has no route then. */
export function RouteEditor({ routes, onNotes, onClose }: RouteEditorProps) {
  const notices = useNotices();
  const [first, setFirst] = useState(routes);
  const [drafts, setDrafts] = useState<readonly Draft[]>(() => routes.map(draftOf));
  // A replacement takes the rows of before: what another operator has done since then would be undone.
  const isOutdated = isOther(first, routes);
  // A row that is new has the focus, or the one at the place of a row that was removed, with the button for it.
  const focusAt = useRef(0);
  const rows = useRef<HTMLTableSectionElement>(null);
  const count = drafts.length;
  useEffect(() => {
    const row = rows.current?.rows[Math.min(focusAt.current, count - 1)];
    row?.querySelector('input')?.focus();
  }, [count]);
  const carriers = usePolled<readonly Carrier[]>('/carriers');
  const names = [
    ...new Set([...(carriers.data ?? []).map(({ name }) => name), ...routes.map(({ carrier }) => carrier)]),
  ];
  const preview = useAct<Replacement>({ isQuiet: true });
  const replace = useAct<Replacement>({
    isQuiet: true,
    onDone: ({ notes }) => {
      onNotes(notes);
      notices.done(t.routes.done);
      onClose();
    },
  });
  const body = { routes: drafts.map(wishOf) };
  // A preview is of the rows that it was asked for: whatever changes them ends it.
  const change = (changed: (all: readonly Draft[]) => readonly Draft[]) => {
    preview.reset();
    replace.reset();
    setDrafts(changed);
  };
  const beginAgain = () => {
    setFirst(routes);
    change(() => routes.map(draftOf));
  };
  const edit = (key: string, changes: Partial<Draft>) =>
    change((all) => all.map((draft) => (draft.key === key ? { ...draft, ...changes } : draft)));
  const remove = (removed: Draft) => {
    focusAt.current = drafts.indexOf(removed);
    change((all) => all.filter(({ key }) => key !== removed.key));
  };
  const add = () => {
    focusAt.current = drafts.length;
    change((all) => [...all, newDraft(names[0] ?? '')]);
  };
  const isWhole = drafts.every(({ prefix, carrier }) => /^(\*|\+?\d+)$/.test(prefix.trim()) && carrier !== '');
  return (
    <Panel title={t.routes.edit}>
      <Stack gap="md">
        <ScrollBox label={t.routes.title}>
          <Table horizontalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                {[
                  t.routes.prefix,
                  t.routes.carrier,
                  t.routes.rank,
                  t.routes.weight,
                  t.routes.cost,
                  t.routes.currency,
                ].map((head) => (
                  <Table.Th key={head} scope="col">
                    {head}
                  </Table.Th>
                ))}
                <Table.Th scope="col">
                  <VisuallyHidden>{t.actions}</VisuallyHidden>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody ref={rows}>
              {drafts.map((draft) => (
                <DraftRow
                  key={draft.key}
                  draft={draft}
                  carriers={names}
                  onChange={(changes) => edit(draft.key, changes)}
                  onRemove={() => remove(draft)}
                />
              ))}
            </Table.Tbody>
          </Table>
        </ScrollBox>
        <div>
          <Button size="xs" variant="default" onClick={add} disabled={names.length === 0}>
            {t.routes.add}
          </Button>
        </div>
        {isOutdated && !replace.isPending && (
          <Alert color="red" variant="light" icon={<Icon name="warning" />} role="alert">
            {t.routes.outdated}{' '}
            <Button size="compact-sm" variant="default" onClick={beginAgain}>
              {t.routes.beginAgain}
            </Button>
          </Alert>
        )}
        {preview.data !== undefined && <RoutePreview preview={preview.data} />}
        <FaultText error={preview.error ?? replace.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={replace.isPending}>
            {t.cancel}
          </Button>
          {preview.data === undefined ? (
            <Button
              key="preview"
              disabled={!isWhole || isOutdated}
              loading={preview.isPending}
              onClick={() => preview.mutate({ path: '/routes/preview', body })}
            >
              {t.routes.preview}
            </Button>
          ) : (
            <Button
              key="apply"
              {...(preview.data.pricedWithoutRoute.length > 0 && { color: 'red' })}
              disabled={!isWhole || isOutdated}
              loading={replace.isPending}
              onClick={() =>
                replace.mutate({
                  path: '/routes',
                  method: 'PUT',
                  body: { ...body, revision: preview.data?.revision },
                })
              }
            >
              {t.routes.apply}
            </Button>
          )}
        </Group>
      </Stack>
    </Panel>
  );
}

function isOther(before: readonly Route[], now: readonly Route[]): boolean {
  const textOf = (routes: readonly Route[]) => JSON.stringify(routes.map(draftOf).map(wishOf));
  return textOf(before) !== textOf(now);
}

interface DraftRowProps {
  readonly draft: Draft;
  readonly carriers: readonly string[];
  readonly onChange: (changes: Partial<Draft>) => void;
  readonly onRemove: () => void;
}

function DraftRow({ draft, carriers, onChange, onRemove }: DraftRowProps) {
  const field = (name: keyof Draft, label: string, width: string) => ({
    'aria-label': label,
    size: 'xs' as const,
    w: width,
    value: draft[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ [name]: event.currentTarget.value }),
  });
  return (
    <Table.Tr>
      <Table.Td>
        <TextInput {...field('prefix', t.routes.prefix, '7rem')} placeholder={t.routes.everyShort} inputMode="tel" />
      </Table.Td>
      <Table.Td>
        <NativeSelect {...field('carrier', t.routes.carrier, '10rem')} data={[...carriers]} />
      </Table.Td>
      <Table.Td>
        <TextInput {...field('rank', t.routes.rank, '4rem')} inputMode="numeric" />
      </Table.Td>
      <Table.Td>
        <TextInput {...field('weight', t.routes.weight, '4.5rem')} inputMode="numeric" />
      </Table.Td>
      <Table.Td>
        <TextInput {...field('cost', t.routes.cost, '7rem')} inputMode="decimal" />
      </Table.Td>
      <Table.Td>
        <TextInput {...field('currency', t.routes.currency, '4.5rem')} maxLength={3} />
      </Table.Td>
      <Table.Td>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t.routes.removeRow(draft.prefix, draft.carrier)}
          onClick={onRemove}
        >
          <Icon name="cross" size={16} />
        </ActionIcon>
      </Table.Td>
    </Table.Tr>
  );
}
