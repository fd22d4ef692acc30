import { ApiProperty } from '@nestjs/swagger';
import type { OrderState } from '#billing';
import { ARRAY_POSITION_FIELD, STATUS_FIELD } from '../openapi/order-fields.js';

const RELEASED = { type: String, description: 'Decimal amount given back to the balance.', example: '0.075' };

export class CancelResult {
  @ApiProperty({ example: true, description: 'Always true: refusals have a status of 4xx or 5xx.' }) success!: boolean;
  @ApiProperty({ format: 'uuid', example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11' }) messageId!: string;
  @ApiProperty({ ...STATUS_FIELD, description: 'Always `canceled`.', example: 'canceled' }) status!: OrderState;
  @ApiProperty(RELEASED) balanceReleased!: string;
  @ApiProperty({ example: 'EUR' }) currency!: string;
}

class CanceledEntry {
  @ApiProperty(ARRAY_POSITION_FIELD) arrayPosition!: number;
  @ApiProperty({ example: '+491701234567', description: 'As submitted.' }) recipient!: string;
  @ApiProperty({ format: 'uuid', example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11' }) messageId!: string;
  @ApiProperty({ ...STATUS_FIELD, description: '`canceled`, or what it was already.', example: 'canceled' })
  status!: OrderState;
}

export class CancelBatchResult {
  @ApiProperty({ example: true, description: 'Always true: refusals have a status of 4xx or 5xx.' }) success!: boolean;
  @ApiProperty({ format: 'uuid', example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c10' }) batchId!: string;
  @ApiProperty({ example: '2 of 2 messages canceled', description: 'A sentence for a person.' }) message!: string;
  @ApiProperty({ ...RELEASED, description: 'Decimal amount given back to the balance for all canceled messages.' })
  balanceReleased!: string;
  @ApiProperty({ example: 'EUR' }) currency!: string;
  @ApiProperty({ type: [CanceledEntry], description: 'Every message of the batch that is still kept.' })
  orderSummary!: CanceledEntry[];
}
