import { Anchor, Button, Group, SimpleGrid, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { Link, useParams } from 'wouter';
import type { Message } from '#client';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { pollEveryMs } from '../../shell/poll-every.js';
import { LoadingLines, QueryView } from '../../shell/states/query-view.js';
import { reasonWords } from '../parts/reason-words.js';
import { OPEN_STATUSES, StatusBadge } from '../parts/status-badge.js';
import { useRead } from '../parts/use-api.js';
import { RedactMessage } from '../privacy/redact-message.js';
import { useSession } from '../session/use-session.js';
import { t } from '../words.js';
import { CancelMessage } from './cancel-message.js';
import { LifeLine } from './life-line.js';
import { MessageFacts } from './message-facts.js';
import classes from './message-page.module.css';
import { SegmentTable } from './segment-table.js';

export default function MessagePage() {
  const { messageId = '' } = useParams<{ messageId: string }>();
  const since = useRef(Date.now());
  const query = useRead<Message>(`/v1/message/${encodeURIComponent(messageId)}`, {
    everyMs: (message) =>
      message === undefined || changesByItself(message) ? pollEveryMs(since.current, Date.now()) : false,
  });
  return (
    <>
      <Anchor component={Link} href="/messages" size="sm" className={classes.back ?? ''}>
        ‹ {t.message.back}
      </Anchor>
      {query.data === undefined && <PageHead title={t.message.back} />}
      <QueryView query={query} loading={<LoadingLines count={8} />}>
        {(message) => <Content message={message} />}
      </QueryView>
    </>
  );
}

/** A scheduled message does as well, once its time has come. */
function changesByItself({ status }: Message): boolean {
  return status === 'scheduled' || OPEN_STATUSES.includes(status);
}

function Content({ message }: { readonly message: Message }) {
  const { status, reason, carrierCode, recipient } = message;
  // A code without a reason is no fault: the carrier says that the message arrived.
  const why = reason === null ? '' : reasonWords(reason, carrierCode);
  return (
    <>
      <PageHead
        title={t.message.title(recipient)}
        about={
          <Group gap="xs" component="span">
            <StatusBadge status={status} />
            <span>{t.messages.statusMeans[status]}</span>
          </Group>
        }
        actions={<Actions message={message} />}
      />
      {why !== '' && <p className={classes.why}>{why}</p>}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <div className={classes.column}>
          <Panel title={t.message.text}>
            <Text className={`${classes.text} written`}>
              {message.message === '' ? t.messages.textGone : message.message}
            </Text>
          </Panel>
          <Panel title={t.message.facts}>
            <MessageFacts message={message} />
          </Panel>
        </div>
        <div className={classes.column}>
          <Panel title={t.message.life}>
            <LifeLine message={message} />
          </Panel>
          <Panel title={t.message.segments} flush>
            <SegmentTable message={message} />
          </Panel>
        </div>
      </SimpleGrid>
    </>
  );
}

function Actions({ message }: { readonly message: Message }) {
  const { scopes } = useSession();
  const [isAsked, setIsAsked] = useState(false);
  const { messageId, message: text, recipient, status, amount, currency } = message;
  const maySend = scopes.includes('send');
  const canCancel = status === 'scheduled' || status === 'queued';
  // The days of texts and of numbers differ: one may be gone, and the other not.
  const canRedact = text !== '' || !recipient.endsWith('*');
  return (
    <>
      {maySend && text !== '' && (
        <Button component={Link} variant="default" href={`/compose?resend=${messageId}`}>
          {t.message.resend}
        </Button>
      )}
      {maySend && canCancel && (
        <Button variant="default" onClick={() => setIsAsked(true)}>
          {t.message.cancel}
        </Button>
      )}
      {scopes.includes('manage') && canRedact && <RedactMessage messageId={messageId} />}
      <CancelMessage
        message={isAsked ? { id: messageId, amount, currency } : undefined}
        onClose={() => setIsAsked(false)}
      />
    </>
  );
}
