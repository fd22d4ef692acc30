import {
  changeUnmatchedIds,
  type Database,
  findNamedSegments,
  listUnmatchedIds,
  MESSAGE_ID_FORMATS,
  recordOperatorAction,
  type StoredCarrier,
  type UnmatchedId,
} from '#persistence';

type Format = StoredCarrier['messageIdFormat'];

/** How many of a carrier's newest receipts are examined; older ones come from earlier settings. */
const SAMPLE = 500;
/** So many must match, because number and id may match by chance now and then. */
const FITTING_LEAST = 3;
const PAGE = 1_000;

/** A format in which the unmatched receipts of a carrier would match messages. */
export interface FormatAdvice {
  readonly format: Format;
  readonly fitting: number;
  readonly of: number;
}

/** Undefined if no other format fits. An operator decides; the service does not switch by itself. */
export async function adviseFormat(database: Database, carrier: StoredCarrier): Promise<FormatAdvice | undefined> {
  const unmatched = await listUnmatchedIds(database, carrier.carrierId, SAMPLE);
  if (unmatched.length < FITTING_LEAST) return undefined;
  let best: FormatAdvice | undefined;
  for (const format of MESSAGE_ID_FORMATS.filter((other) => other !== carrier.messageIdFormat)) {
    const fitting = (await fittingReadings(database, carrier.carrierId, unmatched, [carrier.messageIdFormat], format))
      .length;
    if (fitting > (best?.fitting ?? FITTING_LEAST - 1)) best = { format, fitting, of: unmatched.length };
  }
  return best;
}

/**
 * Reads the unmatched receipts of a carrier again after its format was set; those that now name a message are matched
 * within a minute.
 *
 * @param before the carrier with its setting when the receipts came; if the format was set to the same value, the
 * receipts may have been read in any other format
 * @returns how many name a message now
 */
export async function rereadUnmatchedReceipts(
  database: Database,
  before: StoredCarrier,
  format: Format,
): Promise<number> {
  const { carrierId, messageIdFormat } = before;
  const readAs =
    messageIdFormat === format ? MESSAGE_ID_FORMATS.filter((other) => other !== format) : [messageIdFormat];
  let count = 0;
  let last: string | undefined;
  for (;;) {
    const page = await listUnmatchedIds(database, carrierId, PAGE, last);
    if (page.length === 0) break;
    const fitting = await fittingReadings(database, carrierId, page, readAs, format);
    if (fitting.length > 0) await changeUnmatchedIds(database, carrierId, fitting);
    count += fitting.length;
    last = page.at(-1)?.receiptId;
  }
  if (count > 0) {
    const [subject, subjectId] = ['unmatched receipts', before.name];
    await recordOperatorAction(database, {
      subject,
      subjectId,
      action: 'reread',
      after: { receipts: count, as: format },
    });
  }
  return count;
}

/** For each receipt, the first reading that names a message to its number. */
async function fittingReadings(
  database: Database,
  carrierId: number,
  unmatched: readonly UnmatchedId[],
  readAs: readonly Format[],
  format: Format,
): Promise<UnmatchedId[]> {
  const { rereadMessageId } = await import('#carrier');
  const readings = unmatched.flatMap((receipt) => {
    const ids = new Set(readAs.flatMap((read) => rereadMessageId(receipt.carrierMessageId, read, format)));
    return [...ids].map((carrierMessageId) => ({ ...receipt, carrierMessageId }));
  });
  const named = await findNamedSegments(database, carrierId, readings);
  const fitting = readings.filter((_reading, index) => named.has(index));
  return [...new Map(fitting.reverse().map((reading) => [reading.receiptId, reading])).values()];
}
