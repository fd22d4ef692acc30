import { Alert, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { formatCount } from '../../shell/format-numbers.js';
import { Panel } from '../../shell/frame/panel.js';
import { Icon } from '../../shell/icons.js';
import { RefusalText } from '../../shell/states/refusal-text.js';
import { s } from '../sending/words.js';
import { forgetSending } from './current-sending.js';
import { FileButton } from './file-drop.js';
import { resumeFromFile, resumeFromText } from './resume-sending.js';
import { isResumable, keptFile, type SendingRecord } from './sending-record.js';
import { b } from './words.js';

interface ResumeNoteProps {
  readonly record: SendingRecord;
  readonly onForget: () => void;
}

/** A send that a reload has interrupted, and how it goes on. */
export function ResumeNote({ record, onForget }: ResumeNoteProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const text = keptFile(sessionStorage);
  const canResume = isResumable(record, Date.now());
  const run = (resume: Promise<boolean>) => {
    setIsBusy(true);
    setFault(undefined);
    resume.then(
      (isSame) => {
        setIsBusy(false);
        if (!isSame) setFault(b.resume.another);
      },
      (error: unknown) => {
        setIsBusy(false);
        setFault(error);
      },
    );
  };
  return (
    <Panel title={b.resume.title(record.fileName)}>
      <Text size="sm">
        {canResume
          ? b.resume.state(formatCount(record.sent), s.messages(record.messages, formatCount(record.messages)))
          : b.resume.old}
      </Text>
      {fault !== undefined && (
        <Alert color="red" icon={<Icon name="warning" />} mt="md" role="alert">
          <RefusalText error={fault} />
        </Alert>
      )}
      <Group gap="sm" mt="lg">
        {isBusy && (
          <Text size="sm" role="status">
            {b.resume.busy}
          </Text>
        )}
        {canResume && !isBusy && text !== undefined && (
          <Button onClick={() => run(resumeFromText(record, text))}>{b.resume.goOn}</Button>
        )}
        {canResume && !isBusy && text === undefined && (
          <FileButton label={b.resume.choose(record.fileName)} onFile={(file) => run(resumeFromFile(record, file))} />
        )}
        <Button
          variant="subtle"
          disabled={isBusy}
          onClick={() => {
            forgetSending();
            onForget();
          }}
        >
          {b.resume.forget}
        </Button>
      </Group>
    </Panel>
  );
}
