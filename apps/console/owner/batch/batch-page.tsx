import { Alert, Group, Select, Stack, Text } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { formatCount } from '../../shell/format-numbers.js';
import { formatTime } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { Icon } from '../../shell/icons.js';
import pageClasses from '../compose/compose-page.module.css';
import { ModeTabs } from '../compose/mode-tabs.js';
import { useTabKey } from '../sending/tab-key.js';
import { s } from '../sending/words.js';
import { useSession } from '../session/use-session.js';
import { BatchSetup } from './batch-setup.js';
import { useCurrentSending } from './current-sending.js';
import { CHARSETS, type Charset } from './decode-file.js';
import { FileButton, FileDrop } from './file-drop.js';
import type { FileFault } from './file-fault.js';
import { ResumeNote } from './resume-note.js';
import { interruptedRecord, lastSendOf } from './sending-record.js';
import { SendingView } from './sending-view.js';
import { useFile } from './use-file.js';
import { b } from './words.js';

export default function BatchPage() {
  const { scopes } = useSession();
  const account = useTabKey();
  const { state, choose, readAs, clear } = useFile();
  const current = useCurrentSending();
  const [isForgotten, setIsForgotten] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when a send ends, its record is gone.
  const interrupted = useMemo(() => interruptedRecord(sessionStorage, account), [account, current, isForgotten]);
  const isSending = current !== undefined && current.record.account === account;
  // A file that misses the place to drop it would replace the page.
  useEffect(() => {
    const keep = (event: DragEvent) => event.preventDefault();
    window.addEventListener('dragover', keep);
    window.addEventListener('drop', keep);
    return () => {
      window.removeEventListener('dragover', keep);
      window.removeEventListener('drop', keep);
    };
  }, []);
  if (isSending) {
    return (
      <>
        {/* A head of its own: when the send is left, that of the page has the focus, as on any other page. */}
        <PageHead key="sending" title={b.title} actions={<ModeTabs />} />
        <SendingView current={current} onAnother={clear} />
      </>
    );
  }
  return (
    <>
      <PageHead title={b.title} about={b.about} actions={<ModeTabs />} />
      {!scopes.includes('send') && (
        <Alert color="yellow" icon={<Icon name="warning" />} mb="md">
          {s.noScope}
        </Alert>
      )}
      {interrupted !== undefined && !isForgotten ? (
        <ResumeNote record={interrupted} onForget={() => setIsForgotten(true)} />
      ) : state.kind !== 'read' ? (
        <Stack gap="md">
          {state.kind === 'fault' && <Fault name={state.name} fault={state.fault} />}
          <FileDrop onFile={choose} reading={state.kind === 'reading' ? state : undefined} />
        </Stack>
      ) : (
        <Stack gap="lg" className={pageClasses.stack ?? ''}>
          <Panel>
            <Group justify="space-between" gap="sm" align="flex-end">
              <Text fw={600} className={pageClasses.fileName ?? ''}>
                {state.file.name}
              </Text>
              <Group gap="sm" align="flex-end">
                <Select
                  label={b.file.charset}
                  size="xs"
                  w="10rem"
                  data={CHARSETS}
                  value={state.file.charset}
                  allowDeselect={false}
                  onChange={(charset) => charset !== null && readAs(charset as Charset)}
                />
                <FileButton label={b.drop.another} onFile={choose} isQuiet />
              </Group>
            </Group>
            <SentBefore mark={state.file.mark} />
          </Panel>
          <BatchSetup key={`${state.file.mark} ${state.file.charset}`} file={state.file} />
        </Stack>
      )}
    </>
  );
}

function SentBefore({ mark }: { readonly mark: string }) {
  const sent = useMemo(() => lastSendOf(sessionStorage, mark), [mark]);
  if (sent === undefined) return null;
  const { sentAt, messages } = sent;
  return (
    <Alert color="yellow" icon={<Icon name="warning" />} mt="md" role="alert">
      {messages === 0
        ? b.file.maybeSent(formatTime(sentAt))
        : b.file.sentBefore(formatTime(sentAt), s.messages(messages, formatCount(messages)))}
    </Alert>
  );
}

function Fault({ name, fault }: { readonly name: string; readonly fault: FileFault }) {
  const words = b.faults[fault.kind];
  return (
    <Alert color="red" icon={<Icon name="warning" />} title={b.faults.title(name)} role="alert">
      {typeof words === 'string' ? words : fault.kind === 'open_quote' ? words(formatCount(fault.row)) : ''}
    </Alert>
  );
}
