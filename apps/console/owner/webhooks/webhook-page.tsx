import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import type { Webhook } from '#client';
import { formatRecent, formatTime } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Icon } from '../../shell/icons.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { QueryView } from '../../shell/states/query-view.js';
import { useRead } from '../parts/use-api.js';
import { api } from '../session/api.js';
import { t } from '../words.js';
import { DeliveryLog } from './delivery-log.js';
import { WebhookStatus } from './webhook-status.js';

export default function WebhookPage() {
  const { webhookId = '' } = useParams<{ webhookId: string }>();
  const path = `/v1/webhooks/${encodeURIComponent(webhookId)}`;
  const query = useRead<Webhook>(path, { everyMs: 15_000 });
  return (
    <>
      <Anchor component={Link} href="/webhooks" size="sm">
        ‹ {t.webhooks.title}
      </Anchor>
      {query.data === undefined && <PageHead title={t.webhooks.title} />}
      <QueryView query={query}>{(webhook) => <Content webhook={webhook} path={path} />}</QueryView>
    </>
  );
}

function Content({ webhook, path }: { readonly webhook: Webhook; readonly path: string }) {
  const [isRemoving, setIsRemoving] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [, goTo] = useLocation();
  const queries = useQueryClient();
  const notices = useNotices();
  const act = async (method: 'POST' | 'DELETE', what: string, done: string, body?: unknown) => {
    setIsBusy(true);
    try {
      await api.request(`${path}${what}`, { method, ...(body !== undefined && { body }) });
      notices.done(done);
      if (method === 'DELETE') goTo('/webhooks');
      else await queries.invalidateQueries();
    } catch (error) {
      notices.failed(error);
    }
    setIsBusy(false);
  };
  const { url, description, status, events, disabledReason, failingSince, disablesAt, lastError } = webhook;
  const isDisabled = status === 'disabled';
  return (
    <>
      <PageHead
        title={description === '' ? url : description}
        about={
          <Group gap="sm" component="span">
            <WebhookStatus webhook={webhook} />
            <span>{events.join(', ')}</span>
          </Group>
        }
        actions={
          <>
            <Button
              variant="default"
              disabled={isDisabled || isBusy}
              onClick={() => void act('POST', '/test', t.webhooks.tested)}
            >
              {t.webhooks.test}
            </Button>
            {isDisabled ? (
              <Button
                variant="default"
                disabled={isBusy}
                onClick={() => void act('POST', '/enable', t.webhooks.enabledDone, { resume: 'cursor' })}
              >
                {t.webhooks.enable}
              </Button>
            ) : (
              <Button
                variant="default"
                disabled={isBusy}
                onClick={() => void act('POST', '/disable', t.webhooks.disabledDone)}
              >
                {t.webhooks.disable}
              </Button>
            )}
            <Button variant="default" onClick={() => setIsRemoving(true)}>
              {t.webhooks.remove}
            </Button>
          </>
        }
      />
      {description !== '' && (
        <Text size="sm" mb="md" className="mono" style={{ overflowWrap: 'anywhere' }}>
          {url}
        </Text>
      )}
      {isDisabled && disabledReason !== null && (
        <Alert color="gray" icon={<Icon name="warning" />} mb="md">
          {t.webhooks.disabledReason[disabledReason]}
        </Alert>
      )}
      {!isDisabled && failingSince !== null && (
        <Alert
          color="yellow"
          icon={<Icon name="warning" />}
          mb="md"
          title={t.webhooks.failingSince(formatRecent(failingSince))}
        >
          {lastError !== null && t.webhooks.lastError(lastError)}{' '}
          {disablesAt !== null && t.webhooks.disables(formatTime(disablesAt))}
        </Alert>
      )}
      <DeliveryLog path={path} isDisabled={isDisabled} />
      <ConfirmDialog
        isOpen={isRemoving}
        title={t.webhooks.removeTitle}
        act={t.webhooks.remove}
        isDangerous
        isBusy={isBusy}
        onConfirm={() => void act('DELETE', '', t.webhooks.removed)}
        onClose={() => setIsRemoving(false)}
      >
        {t.webhooks.removeAbout}
      </ConfirmDialog>
    </>
  );
}
