import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TIMESTAMP } from '../support/contract.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { TestService } from '../support/service.js';

interface Listed {
  readonly message_uuid: string;
  readonly external_status: string;
  readonly segments: number;
  readonly encoding: string;
  readonly reason: string | null;
  readonly carrier_code: string | null;
  readonly sent_at: string | null;
  readonly final_at: string | null;
}

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ backEnd: CHEAPEST_BACK_END });
});
afterAll(() => service.close());

/** The text, the last digits that tell the simulator what to do, and what the list says when the message has ended. */
const ENDS: readonly [what: string, digits: string, text: string, listed: Partial<Listed>][] = [
  ['delivered', '99', 'hi', { external_status: 'delivered', reason: null, carrier_code: 'DELIVRD' }],
  [
    'refused by the carrier',
    '01',
    'hi',
    { external_status: 'failed', reason: 'refused_by_carrier', carrier_code: 'ESME_RINVDSTADR', sent_at: null },
  ],
  ['undeliverable', '20', 'hi', { external_status: 'undelivered', reason: 'undeliverable' }],
  ['too late for the handset', '21', 'hi', { external_status: 'undelivered', reason: 'expired_at_carrier' }],
  ['rejected', '22', 'hi', { external_status: 'undelivered', reason: 'rejected_at_carrier' }],
  ['deleted', '23', 'hi', { external_status: 'undelivered', reason: 'deleted_at_carrier' }],
  [
    'undelivered in part',
    '25',
    'é'.repeat(130),
    { external_status: 'undelivered', reason: 'undeliverable', segments: 3, encoding: 'extended' },
  ],
];

test.each(ENDS)(
  'a message that was %s is listed with its reason, segments and times',
  async (_what, digits, text, listed) => {
    const before = Date.now();
    const id = await service.send(`+46709990 00${digits}`, text);
    await service.untilEnded(new Map([[id, listed.external_status ?? '']]));
    const { data } = await service.get<{ data: Listed[] }>('/v1/account/messages');
    const found = data.find(({ message_uuid }) => message_uuid === id);
    expect(found).toMatchObject({
      segments: 1,
      encoding: 'standard',
      sent_at: expect.stringMatching(TIMESTAMP),
      final_at: expect.stringMatching(TIMESTAMP),
      ...listed,
    });
    if (listed.external_status !== 'failed') expect(found?.carrier_code).toMatch(/^[A-Z]+(\/\S+)?$/);
    for (const at of [found?.sent_at, found?.final_at]) {
      if (at) expect(Math.abs(Date.parse(at) - before)).toBeLessThan(60_000);
    }
  },
);

test('an open message has no reason, whatever the carrier said of its last try', async () => {
  // The simulator refuses it for a while each time.
  const id = await service.send('+46709990 0005', 'hi');
  const listed = async () => {
    const { data } = await service.get<{ data: Listed[] }>('/v1/account/messages');
    return data.find(({ message_uuid }) => message_uuid === id);
  };
  await service.untilEnded(new Map([[id, 'queued']]));
  expect(await listed()).toMatchObject({ reason: null, carrier_code: null, sent_at: null, final_at: null });
});
