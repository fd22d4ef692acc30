import type { MessageOrder } from '#client';
import { t } from '../words.js';
import classes from './status-badge.module.css';

export type MessageStatus = MessageOrder['external_status'];

/** Messages whose status still changes by itself. */
export const OPEN_STATUSES: readonly MessageStatus[] = ['queued', 'sending', 'sent'];

const TONES: Readonly<Record<MessageStatus, string | undefined>> = {
  scheduled: classes.later,
  queued: classes.moving,
  sending: classes.moving,
  sent: classes.moving,
  delivered: classes.good,
  undelivered: classes.bad,
  failed: classes.bad,
  canceled: classes.quiet,
  unknown: classes.doubt,
};

/** A status in words, with a dot whose colour says the same. */
export function StatusBadge({ status }: { readonly status: MessageStatus }) {
  return <Badge tone={TONES[status]}>{t.messages.status[status]}</Badge>;
}

export function GoodBadge({ children }: { readonly children: string }) {
  return <Badge tone={classes.good}>{children}</Badge>;
}

export function BadBadge({ children }: { readonly children: string }) {
  return <Badge tone={classes.bad}>{children}</Badge>;
}

export function DoubtBadge({ children }: { readonly children: string }) {
  return <Badge tone={classes.doubt}>{children}</Badge>;
}

export function QuietBadge({ children }: { readonly children: string }) {
  return <Badge tone={classes.quiet}>{children}</Badge>;
}

export function TestBadge({ children }: { readonly children: string }) {
  return <Badge tone={classes.later}>{children}</Badge>;
}

function Badge({ tone, children }: { readonly tone: string | undefined; readonly children: string }) {
  return <span className={`${classes.badge} ${tone}`}>{children}</span>;
}
