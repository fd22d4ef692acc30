import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { removeCarrier } from '#persistence';
import { TIMESTAMP } from '../support/contract.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { TestService } from '../support/service.js';

interface Shown {
  readonly status: string;
  readonly reason: string | null;
  readonly carrierCode: string | null;
  readonly price: number;
  readonly amount: number;
  readonly sentAt: string | null;
  readonly finalAt: string | null;
  readonly segmentDetails: readonly { status: string; carrierCode: string | null; sentAt: string | null }[];
  readonly history: readonly { at: string; status: string; reason: string | null; carrierCode: string | null }[];
}

describe('what GET /v1/message/{messageId} tells', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start({ backEnd: CHEAPEST_BACK_END, simulator: { httpPort: 0 } });
  });
  afterAll(() => service.close());

  async function ended(digits: string, text: string, status: string): Promise<Shown> {
    const id = await service.send(`+46709990 00${digits}`, text);
    await service.untilEnded(new Map([[id, status]]));
    const shown = await service.get<Shown>(`/v1/message/${id}`);
    const times = shown.history.map(({ at }) => at);
    for (const at of times) expect(at).toMatch(TIMESTAMP);
    expect(times).toEqual(times.toSorted());
    return shown;
  }
  const steps = ({ history }: Shown) => history.map(({ status }) => status);

  test('of a delivered message: every status on its way, and the words of the receipt', async () => {
    const shown = await ended('99', 'hi', 'delivered');
    expect(steps(shown)).toEqual(['queued', 'sending', 'sent', 'delivered']);
    expect(shown.history.at(-1)).toMatchObject({ reason: null, carrierCode: 'DELIVRD' });
    expect(shown.segmentDetails).toEqual([
      {
        position: 1,
        status: 'delivered',
        carrierCode: 'DELIVRD',
        sentAt: expect.stringMatching(TIMESTAMP),
        finalAt: expect.stringMatching(TIMESTAMP),
      },
    ]);
  });

  test('of a message that was delivered in part: which segment was not', async () => {
    const shown = await ended('25', 'é'.repeat(130), 'undelivered');
    expect(shown.segmentDetails.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'undelivered']);
    expect(shown).toMatchObject({ reason: 'undeliverable', amount: shown.price });
    expect(shown.history.at(-1)).toMatchObject({ status: 'undelivered', reason: 'undeliverable' });
  });

  test('of a refused message: why, and that nothing is charged', async () => {
    const shown = await ended('01', 'x'.repeat(200), 'failed');
    expect(shown).toMatchObject({
      reason: 'refused_by_carrier',
      carrierCode: 'ESME_RINVDSTADR',
      amount: 0,
      sentAt: null,
    });
    expect(shown.segmentDetails.map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(shown.history.at(-1)).toMatchObject({ reason: 'refused_by_carrier', carrierCode: 'ESME_RINVDSTADR' });
  });

  test('of a message that the carrier put off: what it said, and that it was tried again', async () => {
    const shown = await ended('02', 'hi', 'delivered');
    expect(steps(shown)).toEqual(['queued', 'sending', 'queued', 'sending', 'sent', 'delivered']);
    expect(shown.history[2]).toMatchObject({ reason: null, carrierCode: 'ESME_RSYSERR' });
  });

  test('of a message that an HTTP carrier took whole: each of its segments has the status of the whole', async () => {
    await removeCarrier(service.database, 'simulator');
    await service.addHttpCarrier({ name: 'http' });
    const id = await service.send('+46709990 0099', 'x'.repeat(400));
    await service.untilEnded(new Map([[id, 'delivered']]));
    const { segmentDetails } = await service.get<Shown>(`/v1/message/${id}`);
    expect(segmentDetails.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
  });
});
