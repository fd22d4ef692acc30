import { join } from 'node:path';

export const KANNEL_STORES = ['spool', 'file', 'none'] as const;
/** Where its bearerbox keeps what it has accepted. */
export type KannelStore = (typeof KANNEL_STORES)[number];

/** Kannel fsyncs nothing whatever the store: a message that it has accepted outlives its crash, not the machine's. */
export const KANNEL_DURABILITY: Readonly<Record<KannelStore, string>> = {
  spool: 'a file for each message and each awaited receipt, written without fsync',
  file: 'one file of messages, written without fsync; awaited receipts in memory',
  none: 'messages and awaited receipts in memory alone',
};

export interface KannelSettings {
  readonly store: KannelStore;
  readonly dir: string;
  readonly adminPort: number;
  readonly smsboxPort: number;
  readonly sendPort: number;
  readonly simulatorPort: number;
  /** Of its one bind. */
  readonly carrierWindow: number;
  /** `throughput` of the SMSC; unset: no limit. */
  readonly submitsPerSecond: number | undefined;
}

/** Panics alone: it logs every message otherwise, which costs it a good part of its time. */
export const LOG_LEVEL = 4;

export const KANNEL_USER = 'bench';
const KANNEL_SYSTEM_ID = 'kannel';
export const KANNEL_PASSWORD = 'bench';

/** One configuration file for bearerbox and smsbox, everything on the loopback. */
export function kannelConfig(settings: KannelSettings): string {
  const { store, dir, submitsPerSecond } = settings;
  const core = {
    group: 'core',
    'admin-port': settings.adminPort,
    'admin-interface': '127.0.0.1',
    'admin-password': KANNEL_PASSWORD,
    'smsbox-port': settings.smsboxPort,
    'smsbox-interface': '127.0.0.1',
    'box-allow-ip': '127.0.0.1',
    'box-deny-ip': '*.*.*.*',
    'log-level': LOG_LEVEL,
    ...(store === 'none' ? {} : { 'store-type': store, 'store-location': storePath(store, dir) }),
    ...(store === 'spool' ? { 'dlr-storage': 'spool', 'dlr-spool': receiptPath(dir) } : { 'dlr-storage': 'internal' }),
  };
  const smsc = {
    group: 'smsc',
    smsc: 'smpp',
    'smsc-id': 'simulator',
    host: '127.0.0.1',
    port: settings.simulatorPort,
    'transceiver-mode': true,
    'smsc-username': KANNEL_SYSTEM_ID,
    'smsc-password': KANNEL_PASSWORD,
    'system-type': '""',
    'max-pending-submits': settings.carrierWindow,
    'reconnect-delay': 1,
    ...(submitsPerSecond === undefined ? {} : { throughput: submitsPerSecond }),
  };
  const smsbox = {
    group: 'smsbox',
    'bearerbox-host': '127.0.0.1',
    'sendsms-port': settings.sendPort,
    'sendsms-interface': '127.0.0.1',
    'global-sender': 12_345,
    'log-level': LOG_LEVEL,
  };
  const user = { group: 'sendsms-user', username: KANNEL_USER, password: KANNEL_PASSWORD, 'max-messages': 10 };
  return [core, smsc, smsbox, user].map(groupText).join('\n');
}

export function storePath(store: KannelStore, dir: string): string {
  return join(dir, store === 'spool' ? 'spool' : 'store.file');
}

export function receiptPath(dir: string): string {
  return join(dir, 'receipts');
}

function groupText(group: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(group)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
}
