import { MAGIC_NUMBERS, magicCodeOf } from './magic-numbers.js';
import type { Behaviour } from './options.js';
import { Status } from './pdu-fields.js';
import { drawFault, hasRandomFaults } from './random-faults.js';
import type { Submit } from './read-submit.js';
import { drawReceipts } from './receipt-mix.js';
import { SubmitRate } from './submit-rate.js';
import { statusOf } from './submit-rules.js';
import { ORDINARY, refusal, type Treatment } from './treatment.js';
import { Tries } from './tries.js';

/** The most receipts that may wait; the memory of a carrier has a limit too. */
const PENDING_RECEIPTS_MAX = 250_000;

/** The load of the simulator when a submit_sm arrives. */
export interface Load {
  readonly unansweredOnBind: number;
  readonly pendingReceipts: number;
}

/** Decides the treatment of each submit_sm: limits first, then magic numbers, then random faults. */
export class CarrierRules {
  private readonly rate = new SubmitRate();
  private readonly tries = new Tries();

  constructor(private readonly random: () => number) {}

  treat(submit: Submit, behaviour: Behaviour, load: Load): Treatment {
    const status = statusOf(submit);
    if (status !== Status.ESME_ROK) return { ...ORDINARY, ...refusal(status) };
    if (load.unansweredOnBind >= behaviour.windowSize || this.rate.isOver(behaviour.submitsPerSecond)) {
      return { ...ORDINARY, ...refusal(Status.ESME_RTHROTTLED) };
    }
    if (load.pendingReceipts >= PENDING_RECEIPTS_MAX) return { ...ORDINARY, ...refusal(Status.ESME_RMSGQFUL) };

    const magic = behaviour.magicNumbers ? this.magic(submit) : undefined;
    if (magic !== undefined) return { ...ORDINARY, ...magic };
    const ordinary = this.ordinary(behaviour);
    return hasRandomFaults(behaviour) ? { ...ordinary, ...drawFault(behaviour, this.random) } : ordinary;
  }

  private ordinary({ latencySpreadMs, receiptMix, lateReceiptMs }: Behaviour): Treatment {
    if (receiptMix) return { ...ORDINARY, ...drawReceipts(this.random, lateReceiptMs) };
    if (latencySpreadMs === 0) return ORDINARY;
    return { ...ORDINARY, extraLatencyMs: Math.floor(this.random() * (latencySpreadMs + 1)) };
  }

  private magic(submit: Submit): Partial<Treatment> | undefined {
    const code = magicCodeOf(submit.destination.value);
    const number = code === undefined ? undefined : MAGIC_NUMBERS[code];
    if (number === undefined) return undefined;
    if (number.tries !== undefined && !this.tries.isFaulty(submit, number.tries)) return {};
    return typeof number.effect === 'function' ? number.effect(submit) : number.effect;
  }
}
