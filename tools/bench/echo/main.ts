import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ValidationPipe } from '../../../apps/gateway/http/validation.pipe.js';
import { EchoController } from './echo.controller.js';

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
