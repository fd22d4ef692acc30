import type { PostBatch } from '../../apps/console/owner/batch/batch-sending.js';
import { checkRows, type RowMessage } from '../../apps/console/owner/batch/check-rows.js';
import { parseRows } from '../../apps/console/owner/batch/parse-rows.js';
import { readTemplate } from '../../apps/console/owner/batch/template.js';
import type { AskQuote } from '../../apps/console/owner/sending/ask-prices.js';
import { errorFrom } from '../../apps/console/shell/api/problem.js';
import type { TestAccount } from '../support/gateway.js';

const COLUMNS = ['number', 'text'];

/** Asks and posts like the console's own client. */
export function apiOf(account: TestAccount): { ask: AskQuote; post: PostBatch } {
  const post = async <Answer>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const reply = await account.post(path, body, headers);
    if (reply.status < 300) return reply.as<Answer>();
    throw await errorFrom(new Response(reply.text, { status: reply.status }));
  };
  return {
    ask: (body) => post('/v1/message/quote', body),
    post: (body, key) => post('/v1/message/send-batch', body, { 'idempotency-key': key }),
  };
}

export async function messagesOf(csv: string): Promise<readonly RowMessage[]> {
  const file = await parseRows(csv);
  if ('kind' in file) throw new Error(file.kind);
  const mapping = { recipient: 0, text: readTemplate('{text}', COLUMNS), countryCode: '' };
  return (await checkRows(file.rows, mapping, COLUMNS)).messages;
}

export const destinationsOf = (messages: readonly RowMessage[]) => messages.map(({ destination }) => destination);

export const manyRows = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4670${1_000_000 + index},Hello ${index}`).join('\n');
