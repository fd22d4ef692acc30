import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { Semaphore } from '#batching';

/**
 * Whose turn it is to write answers or receipts: no more of these writes are in the database at once than half of this
 * machine's processors. So accepting goes first (ADR 10), and what waits for its turn goes in larger writes. Claims do
 * not wait: carriers' windows are empty until them.
 */
@Injectable()
export class OutcomeWrites extends Semaphore {
  constructor() {
    super(Math.max(1, availableParallelism() >> 1));
  }
}
