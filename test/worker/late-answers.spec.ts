import { afterEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { ScriptedSmsc, type SeenSubmit } from '../support/scripted-smsc.js';
import { numberOf, type TestService, UNIT_PRICE } from '../support/service.js';
import { servicePerTest } from '../support/service-per-test.js';
import { until } from '../support/until.js';

const RESPONSE_TIMEOUT_MS = 200;
const REFUSED = 0x0b;
const QUEUE_FULL = 0x14;

describe('a response that comes while its message is in doubt', () => {
  // A message in doubt waits longer than the tests do.
  const start = servicePerTest({
    backEnd: CHEAPEST_BACK_END,
    carrier: 'none',
    settings: { IN_DOUBT_WAIT_SECONDS: '120' },
  });
  let smsc: ScriptedSmsc;
  afterEach(() => smsc.close());

  /** A message that the carrier does not answer in time, and its submit. */
  async function doubted(text = 'Hello'): Promise<{ service: TestService; id: string; submit: SeenSubmit }> {
    const service = await start();
    smsc = await ScriptedSmsc.listen();
    // Of a long message it takes all other segments.
    smsc.onSubmit = (submit) => {
      if (smsc.submits.length > 1) submit.connection.accept(submit, `id${submit.sequence}`);
    };
    await service.addCarrier({ port: smsc.port, options: { responseTimeoutMs: RESPONSE_TIMEOUT_MS } });
    const id = await service.send(numberOf(1), text);
    const submit = await until('the submit', () => smsc.submits[0]);
    await eventually(async () => {
      const doubts = await service.database.query("select from segment where state = 'in_doubt'");
      expect(doubts).toHaveLength(1);
    });
    return { service, id, submit };
  }

  test('and refuses it ends it at once, and it is given back', async () => {
    const { service, id, submit } = await doubted();
    submit.connection.respond(submit, REFUSED);
    await service.untilEnded(new Map([[id, 'failed']]), 10_000);
    expect(await service.figures()).toEqual({ reserved: 0n, captured: 0n });
  });

  test('and does not take it now lets it go out again after its back-off', async () => {
    const { service, id, submit } = await doubted();
    smsc.onSubmit = (again) => again.connection.accept(again, 'taken');
    submit.connection.respond(submit, QUEUE_FULL);
    await service.untilEnded(new Map([[id, 'sent']]), 20_000);
    expect(smsc.submits).toHaveLength(2);
  });

  test('and refuses one segment of a long message ends the message at once, and the rest of it is given back', async () => {
    const { service, id, submit } = await doubted('x'.repeat(400));
    await eventually(() => smsc.submits.length === 3);
    submit.connection.respond(submit, REFUSED);
    await service.untilEnded(new Map([[id, 'failed']]), 10_000);
    expect(await service.figures()).toEqual({ reserved: 0n, captured: 2n * UNIT_PRICE });
  });
});
