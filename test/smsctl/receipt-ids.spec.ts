import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { deliverBody, ScriptedSmsc } from '../support/scripted-smsc.js';
import { TestService } from '../support/service.js';
import { type Run, runSmsctl } from './run-smsctl.js';

const MESSAGES = 8;

describe('receipts whose ids are read in the wrong format', () => {
  let service: TestService;
  const smsctl = (...args: string[]): Promise<Run> =>
    runSmsctl(args, { DATABASE_URL: service.settings.DATABASE_URL ?? '' }, { isWarm: true });
  const findings = async (): Promise<string> => (await smsctl('doctor')).stdout;

  beforeAll(async () => {
    const simulator = { messageIdForm: 'hex', receiptIdForm: 'decimal' } as const;
    service = await TestService.start({ backEnd: CHEAPEST_BACK_END, simulator });
  });
  afterAll(() => service.close());

  test('doctor says which format fits, and setting it gives every message its receipt', async () => {
    await service.sendMany(MESSAGES);
    await eventually(async () => {
      const [row] = await service.database.query<{ unmatched: number }>(
        'select count(*)::integer as unmatched from parked_receipt',
      );
      return row?.unmatched === MESSAGES;
    });
    await service.untilStatuses({ sent: MESSAGES });
    expect(await findings()).toMatch(
      /receipt ids of simulator +fail +8 of 8 unmatched receipts fit .*: `smsctl carrier set simulator --message-id hex-dec`\n/,
    );
    const changed = await smsctl('carrier', 'set', 'simulator', '--message-id', 'hex-dec');
    expect(changed.stdout).toBe(
      'Carrier simulator changed.\n8 unmatched receipts name messages now; they count within a minute.\n',
    );
    await eventually(async () => (await service.statuses()).delivered === MESSAGES);
    expect(await findings()).not.toContain('receipt ids');
    await service.sendMany(1);
    await eventually(async () => (await service.statuses()).delivered === MESSAGES + 1);
  });
});

describe('receipts whose ids are read in the wrong format, from a carrier that writes numbers in its own way', () => {
  let smsc: ScriptedSmsc;
  let service: TestService;
  beforeAll(async () => {
    smsc = await ScriptedSmsc.listen();
    service = await TestService.start({ backEnd: CHEAPEST_BACK_END, carrier: 'none' });
    await service.addCarrier({ port: smsc.port });
  });
  afterAll(async () => {
    await service.close();
    await smsc.close();
  });

  test('fit as well: without the country code, and with zeros before the number', async () => {
    smsc.onSubmit = (submit) => {
      const { connection, sequence } = submit;
      const { address } = submit.destination;
      connection.accept(submit, (4_096 + sequence).toString(16));
      const source = sequence % 2 === 0 ? `00${address}` : `0${address.slice(2)}`;
      connection.deliver(deliverBody({ source, message: `id:${4_096 + sequence} stat:DELIVRD err:000` }));
    };
    await service.sendMany(MESSAGES);
    await service.untilStatuses({ sent: MESSAGES });
    const smsctl = (...args: string[]): Promise<Run> =>
      runSmsctl(args, { DATABASE_URL: service.settings.DATABASE_URL ?? '' }, { isWarm: true });
    await eventually(async () => expect((await smsctl('doctor')).stdout).toContain('8 of 8 unmatched receipts fit'));
    const changed = await smsctl('carrier', 'set', 'simulator', '--message-id', 'hex-dec');
    expect(changed.stdout).toContain('8 unmatched receipts name messages now');
    await eventually(async () => (await service.statuses()).delivered === MESSAGES);
  });
});
