import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { Controller, Get, HttpStatus, Query, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { KeyHolder } from '#persistence';
import { AccountGuard } from '../http/account.guard.js';
import { CurrentAccount } from '../http/current-account.js';
import { ApiAnswers } from '../openapi/answers.js';
import { type ExportFormat, ExportQuery, MessagesExportQuery } from './export-query.js';
import { ExportRows } from './export-rows.js';

const TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
};
const MEDIA = ['text/csv', 'application/x-ndjson'];
const WHOLE =
  'The answer has no length: it is whole when it ends in order, and a connection that breaks means that it is not. ' +
  'An account may have 2 exports under way at a gateway.';

@ApiTags('account')
@UseGuards(AccountGuard)
@Controller('v1/account')
export class ExportsController {
  constructor(private readonly rows: ExportRows) {}

  @Get('messages/export')
  @ApiAnswers({
    summary: 'All messages as a file',
    description: `The items of the list, with its filters, newest first; none that are accepted after the start. ${WHOLE}`,
    status: HttpStatus.OK,
    success: 'The messages, line by line.',
    media: MEDIA,
    kind: 'find',
  })
  async exportMessages(
    @CurrentAccount() account: KeyHolder,
    @Query() query: MessagesExportQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await send(reply, 'messages', query.format, await this.rows.messages(account, query.filters, query.format));
  }

  @Get('deposits/export')
  @ApiAnswers({
    summary: 'All deposits as a file',
    description: `The items of the list, newest first. ${WHOLE}`,
    status: HttpStatus.OK,
    success: 'The deposits, line by line.',
    media: MEDIA,
    kind: 'list',
  })
  async exportDeposits(
    @CurrentAccount() account: KeyHolder,
    @Query() { format }: ExportQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await send(reply, 'deposits', format, await this.rows.deposits(account, format));
  }

  @Get('ledger/export')
  @ApiAnswers({
    summary: 'The ledger as a file',
    description: `The items of the list, newest first; none that are written after the start. ${WHOLE}`,
    status: HttpStatus.OK,
    success: 'The entries, line by line.',
    media: MEDIA,
    kind: 'list',
  })
  async exportLedger(
    @CurrentAccount() account: KeyHolder,
    @Query() { format }: ExportQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await send(reply, 'ledger', format, await this.rows.ledger(account, format));
  }
}

/**
 * Fastify destroys the stream when the client goes away, and the connection when the stream fails. Resolves when the
 * answer has ended: Fastify would answer for a handler that has ended before it.
 */
async function send(reply: FastifyReply, name: string, format: ExportFormat, rows: Readable): Promise<void> {
  const ended = new Promise((resolve) => reply.raw.once('close', resolve));
  void reply.type(TYPES[format]).header('content-disposition', `attachment; filename="${name}.${format}"`);
  if (reply.request.raw.httpVersion === '1.0') rows.once('error', () => reset(reply.raw.socket));
  if (reply.request.method === 'HEAD') {
    rows.destroy();
    // Not an empty text: its length would be sent as that of the file (RFC 9110 section 8.6).
    void reply.send(Readable.from([]));
  } else void reply.send(rows);
  await ended;
}

/**
 * By HTTP/1.0 a file ends with its connection, so one that breaks off must not end in order: nginx, which speaks it
 * unless told otherwise, would pass the part on as the whole. A TLS connection cannot be reset, and ends without the
 * alert that tells an end in order (RFC 5246 section 7.2.1).
 */
function reset(socket: Socket | null): void {
  if (!(socket instanceof TLSSocket)) socket?.resetAndDestroy();
}
