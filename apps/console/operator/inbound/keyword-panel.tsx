import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNotices } from '../../shell/frame/notices.js';
import { Panel } from '../../shell/frame/panel.js';
import { locale } from '../../shell/locale.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { RowMenu } from '../../shell/table/row-menu.js';
import { FormDialog } from '../parts/form-dialog.js';
import { StateWord } from '../parts/state-word.js';
import { useAct } from '../parts/use-act.js';
import { usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';

interface Keyword {
  readonly word: string;
  readonly action: 'stop' | 'start' | 'help';
  readonly language: string;
}

const TONES = { stop: 'bad', start: 'good', help: 'quiet' } as const;
const pathOf = (word: string) => `/keywords/${encodeURIComponent(word)}`;

/** The words that opt out and in. */
export function KeywordPanel() {
  const may = useMay();
  const [isAsked, setIsAsked] = useState(false);
  const keywords = usePolled<readonly Keyword[]>('/keywords');
  const notices = useNotices();
  const set = useAct();
  const remove = useAct();
  const end = ({ word, action, language }: Keyword) =>
    remove.mutate(
      { path: pathOf(word), method: 'DELETE' },
      {
        onSuccess: () =>
          notices.done(t.inbound.removedWord(word), () =>
            set.mutate({ path: pathOf(word), method: 'PUT', body: { action, language } }),
          ),
      },
    );
  const columns: readonly Column<Keyword>[] = [
    { key: 'word', head: t.inbound.word, isMain: true, cell: ({ word }) => word },
    {
      key: 'action',
      head: t.inbound.does,
      cell: ({ action }) => <StateWord tone={TONES[action]} word={t.inbound.actions[action]} />,
    },
    { key: 'language', head: t.inbound.language, cell: ({ language }) => languageName(language) },
    {
      key: 'acts',
      head: t.actions,
      isHeadHidden: true,
      cell: (keyword) => (
        <RowMenu
          label={`${t.more}: ${keyword.word}`}
          acts={[{ label: t.inbound.removeWord, onClick: () => end(keyword), isOffered: may('keyword.remove') }]}
        />
      ),
    },
  ];
  return (
    <Panel
      flush
      title={t.inbound.keywords}
      {...(may('keyword.set') && {
        actions: (
          <Button size="compact-sm" variant="default" onClick={() => setIsAsked(true)}>
            {t.inbound.addWord}
          </Button>
        ),
      })}
    >
      <QueryView query={keywords}>
        {(rows) => (
          <DataTable
            label={t.inbound.keywords}
            columns={columns}
            rows={rows}
            keyOf={({ word }) => word}
            empty={<EmptyState icon="messages" title={t.inbound.noWords} />}
          />
        )}
      </QueryView>
      {isAsked && <AddKeyword onClose={() => setIsAsked(false)} />}
    </Panel>
  );
}

function AddKeyword({ onClose }: { readonly onClose: () => void }) {
  const [word, setWord] = useState('');
  const [action, setAction] = useState<Keyword['action']>('stop');
  const [language, setLanguage] = useState('en');
  const add = useAct({ isQuiet: true, onDone: onClose });
  return (
    <FormDialog
      isOpen
      title={t.inbound.addWord}
      about={t.inbound.wordAbout}
      act={t.inbound.addWord}
      isBusy={add.isPending}
      isReady={word.trim() !== '' && /^[a-z]{2}$/.test(language)}
      error={add.error}
      labels={{ word: t.inbound.word, language: t.inbound.language }}
      onSubmit={() => add.mutate({ path: pathOf(word.trim()), method: 'PUT', body: { action, language } })}
      onClose={onClose}
    >
      <TextInput
        label={t.inbound.word}
        placeholder="STOPP"
        value={word}
        maxLength={40}
        onChange={(event) => setWord(event.currentTarget.value)}
        data-autofocus
        required
      />
      <NativeSelect
        label={t.inbound.does}
        data={Object.entries(t.inbound.actions).map(([value, label]) => ({ value, label }))}
        value={action}
        onChange={(event) => setAction(event.currentTarget.value as Keyword['action'])}
      />
      <TextInput
        label={t.inbound.language}
        description={t.inbound.languageHint}
        value={language}
        maxLength={2}
        onChange={(event) => setLanguage(event.currentTarget.value.toLowerCase())}
        required
      />
    </FormDialog>
  );
}

const NAMES = new Intl.DisplayNames(locale, { type: 'language', fallback: 'code' });

/** A code that the browser does not know stays a code. */
function languageName(code: string): string {
  return NAMES.of(code) ?? code;
}
