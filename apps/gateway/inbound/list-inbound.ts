import { Injectable } from '@nestjs/common';
import { FreshReads, findInbound, type InboundItem, type KeyHolder } from '#persistence';
import { ReadTurns } from '../account/read-turns.js';
import { CursorPagination, wantedPage } from '../http/page.js';
import type { InboundMessage, InboundMessageList } from './inbound.dto.js';
import type { InboundQuery } from './inbound-query.js';

/** USE CASE: the messages from handsets that an account got, as of a moment after the request arrived. */
@Injectable()
export class ListInbound {
  constructor(
    private readonly reads: FreshReads,
    private readonly turns: ReadTurns,
  ) {}

  async list({ accountId }: KeyHolder, query: InboundQuery): Promise<InboundMessageList> {
    const { filters, filterText, place } = query;
    const wanted = wantedPage(query);
    const read = () => this.reads.read((database) => findInbound(database, accountId, wanted, filters));
    const found = await this.turns.run(accountId, read);
    // They are counted once, for the first page.
    const { total = 0, isCapped } = found.total === undefined && place !== undefined ? place : found;
    return {
      data: found.items.map(inboundMessage),
      pagination: CursorPagination.after(wanted, { total, isCapped, next: found.next }, filterText),
    };
  }
}

function inboundMessage({ source, destination, keyword, inReplyTo, ...item }: InboundItem): InboundMessage {
  const { inboundId, message, parts, missingParts, receivedAt } = item;
  return {
    inboundId,
    sender: source,
    recipient: destination,
    message,
    keyword: keyword ?? null,
    inReplyTo: inReplyTo ?? null,
    parts,
    missingParts,
    receivedAt,
  };
}
