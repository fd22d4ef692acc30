import 'reflect-metadata';
import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ValidationPipe } from '../../../apps/gateway/http/validation.pipe.js';
import { SendBatchRequest } from '../../../apps/gateway/messages/batch.dto.js';
import { SendRequest } from '../../../apps/gateway/messages/messages.dto.js';
import { messagesOf } from '../../harness/load/requests.js';

const MESSAGE_ID = '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11';
/** A page of 100 messages. */
const PAGE = {
  data: messagesOf(100).map((message) => ({
    message_uuid: MESSAGE_ID,
    ...message,
    amount: 0.075,
    currency: 'EUR',
    external_status: 'delivered',
    created_at: '2026-11-30T00:00:00.000Z',
    segments: 1,
    encoding: 'standard',
    reason: null,
    carrier_code: 'DELIVRD',
    sent_at: '2026-11-30T00:00:00.100Z',
    final_at: '2026-11-30T00:00:00.200Z',
    reference: null,
    tag: null,
    send_at: null,
  })),
  pagination: { page: 1, limit: 100, total: 1_000, total_pages: 10, next: MESSAGE_ID, total_is_capped: false },
};

/** Answers with what the service would answer, in shape and size, and does nothing for it. */
@Controller()
class EchoController {
  @Post('v1/message/send')
  send(@Body() _body: SendRequest) {
    return { success: true, messageId: MESSAGE_ID, balanceDeduction: '0.075', currency: 'EUR' };
  }

  @Post('v1/message/send-batch')
  sendBatch(@Body() body: SendBatchRequest) {
    const orderSummary = body.messages.map(({ recipient }, arrayPosition) => ({
      arrayPosition,
      amount: 0.075,
      recipient,
      messageId: MESSAGE_ID,
    }));
    const message = `${orderSummary.length} messages accepted`;
    return { success: true, message, balanceDeduction: '75', currency: 'EUR', orderSummary };
  }

  @Get('v1/account/messages')
  messages() {
    return PAGE;
  }

  /** As a collector of traces. */
  @Post('v1/traces')
  traces() {
    return {};
  }

  @Get('v1/account')
  account() {
    const messages = { count: 1_000, totalAmount: 75 };
    const money = { totalDeposits: 100_000_000, totalConsumed: 75, creditRemaining: 99_999_925 };
    return { currency: 'EUR', ...money, orderSummary: { messages } };
  }

  @Get('readyz')
  ready() {
    return { ready: true };
  }
}

/**
 * The yardstick: the framework, the DTO classes and the validation of the gateway, and nothing behind them. What the
 * service does more than this is the price of keeping its promise.
 */
@Module({ controllers: [EchoController] })
class EchoModule {}

const port = Number(process.argv[2]);
const app = await NestFactory.create<NestFastifyApplication>(EchoModule, new FastifyAdapter(), { logger: false });
app.useGlobalPipes(new ValidationPipe());
app.enableShutdownHooks();
await app.listen(port, '127.0.0.1');
process.stdout.write('listening\n');
