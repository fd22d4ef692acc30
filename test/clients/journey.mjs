// What a program does with the client, on whatever runs it: nothing but the standard globals of the web are used here.

/** Sends, reads and verifies by the client; returns what the spec expects. */
export async function journey({ Heliograph, verifyWebhook, NotFoundError }, { baseUrl, apiKey, webhook }) {
  const client = new Heliograph({ baseUrl, apiKey });
  const tag = crypto.randomUUID();
  const sms = { recipient: '+46700100200', message: 'Grüße', tag };
  const { orderSummary } = await client.messages.sendBatch({ messages: [sms, sms, sms] });
  const { messageId } = await client.messages.send(sms);
  const { encoding } = await client.messages.get(messageId);
  let listed = 0;
  for await (const message of client.messages.list({ tag, limit: 1 })) listed += message.tag === tag ? 1 : 0;
  let exported = 0;
  for await (const message of client.messages.exportRows({ tag })) exported += message.message === 'Grüße' ? 1 : 0;
  const missing = await client.messages.get(tag).catch((error) => error);
  const stopped = await client.account.balance({ signal: AbortSignal.abort('enough') }).catch((reason) => reason);
  const { type } = await verifyWebhook(webhook.body, new Headers(webhook.headers), webhook.secret);
  const isNotFound = missing instanceof NotFoundError && missing.code === 'not_found';
  return { sent: orderSummary.length + 1, encoding, listed, exported, isNotFound, stopped, type };
}
