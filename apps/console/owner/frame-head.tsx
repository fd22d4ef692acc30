import { ActionIcon, Text, Tooltip } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { AccountSummary } from '#client';
import { formatMoney } from '../shell/format-numbers.js';
import { Icon } from '../shell/icons.js';
import classes from './frame-head.module.css';
import { useRead } from './parts/use-api.js';
import { leave } from './session/sign-in-again.js';
import { useSession } from './session/use-session.js';
import { t } from './words.js';

const EVERY_MS = 15_000;

/** Whose account it is, and what it has. */
export function FrameHead() {
  const { accountName, keyName, keyId, scopes, test: isTest } = useSession();
  const queries = useQueryClient();
  // Pages that show the summary share the request.
  const account = useRead<AccountSummary>('/v1/account', { everyMs: EVERY_MS, isNeeded: scopes.includes('read') });
  return (
    <>
      <div className={classes.account}>
        <Tooltip label={t.session.who(keyName === '' ? keyId : keyName)}>
          <Text size="sm" c="dimmed" truncate className={`${classes.name} written`}>
            {accountName}
          </Text>
        </Tooltip>
        {account.data !== undefined && (
          <Link href="/ledger" className={classes.balance}>
            {isTest && <span className={classes.kind}>{t.overview.testBalance}</span>}
            {formatMoney(account.data.creditRemaining, account.data.currency, { round: true })}
          </Link>
        )}
      </div>
      <Tooltip label={t.session.signOut}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t.session.signOut}
          onClick={() => leave(queries)}
        >
          <Icon name="leave" />
        </ActionIcon>
      </Tooltip>
    </>
  );
}
