import {
  type Database,
  isReadOnly,
  type LedgerReport,
  lackOf,
  listUnmatchedReceipts,
  OperatorError,
  processesWithoutKeys,
  recordVerification,
  rotateSecrets,
  type SecretsStatus,
  secretsStatus,
  VERIFY_STATEMENT_TIMEOUT_MS,
  verifyLedger,
} from '#persistence';
import { type Page, type Paging, pageBy } from './wire.js';

/** The receipts that match no message, newest first. */
interface UnmatchedAnswer {
  readonly carrier: string | null;
  readonly carrierMessageId: string;
  readonly reference: number | null;
  readonly destination: string;
  readonly state: 'delivered' | 'undelivered';
  readonly code: string;
  readonly receivedAt: Date;
}

export function receiptsUnmatched(
  database: Database,
  { carrier, ...paging }: Paging & { readonly carrier?: string | undefined },
): Promise<Page<UnmatchedAnswer>> {
  return pageBy(
    paging,
    (limit, before) => listUnmatchedReceipts(database, limit, { carrier, before }),
    ({ receiptId }) => receiptId,
    ({ receiptId: _id, ...receipt }) => ({
      ...receipt,
      carrier: receipt.carrier ?? null,
      reference: receipt.reference ?? null,
    }),
  );
}

interface LedgerAnswer extends Omit<LedgerReport, 'accounts' | 'messages' | 'journalEntries' | 'sandboxes'> {
  readonly accounts: number;
  readonly messages: number;
  readonly journalEntries: number;
  readonly sandboxes: number;
}

export const VERIFY_TIMEOUT_MS = VERIFY_STATEMENT_TIMEOUT_MS;

/** Recomputes every invariant of the ledger, and stores what it found if this connection may write. */
export async function ledgerVerify(database: Database): Promise<LedgerAnswer> {
  const startMs = performance.now();
  const report = await verifyLedger(database);
  await recordVerification(database, report, (performance.now() - startMs) / 1_000).catch((error: unknown) => {
    if (!isReadOnly(error)) throw error;
  });
  return {
    isClean: report.isClean,
    snapshotAt: report.snapshotAt,
    accounts: Number(report.accounts),
    messages: Number(report.messages),
    journalEntries: Number(report.journalEntries),
    sandboxes: Number(report.sandboxes),
    checks: report.checks,
  };
}

export function secretsShow(database: Database): Promise<SecretsStatus> {
  return secretsStatus(database);
}

/**
 * Encrypts all secrets with the current key.
 *
 * @param wanted `force`: although running processes lack that key
 * @throws OperatorError when a running process lacks the key; nothing was changed
 */
export async function secretsRotate(
  database: Database,
  { force = false }: { readonly force?: boolean | undefined },
): Promise<Awaited<ReturnType<typeof rotateSecrets>>> {
  const { currentId = null } = database.secretKeys;
  const lacking = force ? [] : await processesWithoutKeys(database, [currentId]);
  if (lacking.length > 0) {
    throw new OperatorError(
      `nothing was changed: ${lacking.map(lackOf).join('; ')}: restart it with the key first, or use --force`,
    );
  }
  return rotateSecrets(database, 'all');
}
