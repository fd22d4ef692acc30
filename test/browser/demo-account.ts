import { addApiKey, bookDeposit, createAccount, type Database, foldTraffic } from '#persistence';
import { eventually } from '../support/eventually.js';
import type { TestService } from '../support/service.js';

const MICROS = 1_000_000n;
const DAYS = 30;
/** Of five minutes. */
const STEPS_OF_HOUR = 11;
const MOVES_MAX = 10_000;
/** Messages of each day: the weekends are quiet, and the shop grows. */
const BATCH_OF_DAY = (day: number) =>
  Math.round((9 + day * 0.45) * ([0.35, 1, 1.1, 1.05, 1.2, 1.35, 0.5][day % 7] ?? 1));
const TEXTS = [
  'Your Nordlicht order 4711 is ready. Pick it up until 18:30 at Hafenstrasse 12.',
  'Hello Mara, your table for two is booked for Friday at 19:00. Reply to this number to change it.',
  'Your sign-in code is 482913. It ends in ten minutes. Never tell it to anybody.',
  'Good news: the Kenya roast is back! Show this message until Sunday and get 10 % off every bag. New in the shop: filters, two grinders and a small kettle for the road.',
  'Grüße aus dem Nordlicht: dein Café-Gutschein über 5 € wartet auf dich ☕',
];
const PREFIXES = ['+4917', '+4917', '+4917', '+4477', '+336', '+4670', '+4366'];
/** What the simulated carrier does with these numbers: refused, and three kinds of bad receipts. */
const BAD_ENDS = ['99900001', '99900020', '99900020', '99900021', '99900022'];

export interface DemoAccount {
  readonly accountId: string;
  readonly apiKey: string;
  readonly testKey: string;
}

/** A coffee shop with a month of traffic, so that pages are judged and shown with what they will hold. */
export async function openDemoAccount(service: TestService): Promise<DemoAccount> {
  const { database } = service;
  const { account, apiKey } = await createAccount(database, { name: 'Nordlicht Coffee', currency: 'EUR' });
  const { accountId } = account;
  await bookDeposit(database, accountId, { amount: 150n * MICROS, currency: 'EUR', reference: 'Invoice 2026-118' });
  await bookDeposit(database, accountId, { amount: 50n * MICROS, currency: 'EUR', reference: 'Invoice 2026-131' });
  await addApiKey(database, accountId, { name: 'Web shop', scopes: ['send'], networks: ['192.0.2.0/24'] });
  await addApiKey(database, accountId, { name: 'Bookkeeping', scopes: ['read'] });
  const { apiKey: testKey } = await addApiKey(database, accountId, { name: 'Staging', isTest: true });
  const post = (path: string, body: unknown) => postAs(service, apiKey, path, body);

  const sizes = Array.from({ length: DAYS }, (_, day) => BATCH_OF_DAY(day));
  const entries = sizes.reduce((sum, size) => sum + size, 0);
  for (let from = 0; from < entries; from += 500) {
    const messages = Array.from({ length: Math.min(500, entries - from) }, (_, index) => entryOf(from + index));
    await post('/v1/message/send-batch', { messages });
  }
  await untilAllEnded(database, accountId);
  await spreadOverDays(database, accountId, sizes);
  await spreadOverHour(database, accountId);
  for (const hours of [20, 44]) {
    const sendAt = new Date(Date.now() + hours * 3_600_000).toISOString();
    await post('/v1/message/send', { recipient: '+491701234567', message: TEXTS[3], sendAt });
  }
  await post('/v1/webhooks', {
    url: 'https://shop.example/hooks/sms',
    events: ['message.delivered', 'message.undelivered', 'message.failed'],
    description: 'Web shop',
  });
  return { accountId, apiKey, testKey };
}

function entryOf(index: number): { recipient: string; message: string; reference: string; tag: string } {
  const isBad = index % 23 === 7;
  const end = isBad
    ? BAD_ENDS[Math.floor(index / 23) % BAD_ENDS.length]
    : String(10_000_000 + ((index * 7_919) % 89_000_000));
  return {
    recipient: `${PREFIXES[index % PREFIXES.length]}${end}`,
    message: TEXTS[(index * 3) % TEXTS.length] ?? '',
    reference: `order-${4_000 + index}`,
    tag: index % 3 === 0 ? 'reminder' : 'order',
  };
}

async function postAs(service: TestService, apiKey: string, path: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${service.gatewayUrl}${path}`, {
    method: 'POST',
    headers: { 'x-authorization': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`);
  return response.json();
}

async function untilAllEnded(database: Database, accountId: string): Promise<void> {
  await eventually(
    async () => {
      const rows = await database.query(
        `select from message_order where account_id = $1 and state in ('queued', 'sending', 'sent') limit 1`,
        [accountId],
      );
      return rows.length === 0;
    },
    { intervalMs: 200 },
  );
}

/** A month passes: the messages keep their order, and each day has its own. */
async function spreadOverDays(database: Database, accountId: string, sizes: readonly number[]): Promise<void> {
  let first = 1;
  for (const [day, size] of sizes.entries()) {
    await database.query(
      `with shifted as (
         select id, make_interval(days => $2, secs => 36000.0 * ($4 - sequence) / ($4 - $3 + 1)) as shift
           from message_order where account_id = $1 and sequence between $3 and $4
       ), told as (
         update order_transition t set at = t.at - shift from shifted s where t.message_id = s.id
       )
       update message_order o
          set created_at = o.created_at - shift, sent_at = o.sent_at - shift, final_at = o.final_at - shift
         from shifted s where o.id = s.id`,
      [accountId, sizes.length - 1 - day, first, first + size - 1],
    );
    first += size;
  }
}

/** The traffic of the last minutes is that of the last hour, so that the operators' overview shows an hour of a day. */
async function spreadOverHour(database: Database, accountId: string): Promise<void> {
  await eventually(async () => {
    await foldTraffic(database, MOVES_MAX);
    return (await database.query('select from traffic_move limit 1')).length === 0;
  });
  await database.query(
    `with taken as (
       delete from traffic_step where account_id = $1 returning *
     ), summed as (
       select max(started_at) as newest, account_id, carrier_id, event, sum(messages) as messages
         from taken group by account_id, carrier_id, event
     )
     insert into traffic_step (started_at, account_id, carrier_id, event, messages)
     select newest - make_interval(mins => 5 * step), account_id, carrier_id, event,
            ceil(messages * (1 + 0.4 * sin(step)) / $2)
       from summed, generate_series(0, $2 - 1) as step`,
    [accountId, STEPS_OF_HOUR],
  );
}
