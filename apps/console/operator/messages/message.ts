export interface Message {
  readonly id: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly test: boolean;
  readonly currency: string;
  readonly recipient: string;
  readonly state: string;
  readonly segmentCount: number;
  readonly amount: string;
  /** Only if texts were asked for. */
  readonly message?: string;
  readonly createdAt: string;
  readonly carrier: string | null;
  readonly carrierCode: string | null;
}

interface Transition {
  readonly at: string;
  readonly from: string;
  readonly to: string;
  readonly actor: string;
  readonly carrierCode?: string;
}

export interface Segment {
  readonly position: number;
  readonly isWhole: boolean;
  readonly state: string;
  readonly attempt: number;
  readonly carrier?: string;
  readonly carrierMessageId?: string;
  readonly carrierCode?: string;
  readonly submittedAt: string;
  readonly acceptedAt?: string;
  readonly settledAt?: string;
}

export interface MessageDetails extends Omit<Message, 'carrier' | 'carrierCode'> {
  readonly encoding: string;
  readonly isTextRemoved: boolean;
  readonly price: string;
  readonly attempts: number;
  readonly carrier?: string;
  readonly carrierCode?: string;
  readonly sendAt?: string;
  readonly sender?: string;
  readonly validUntil: string;
  readonly dueAt?: string;
  readonly sentAt?: string;
  readonly finalAt?: string;
  readonly reference?: string;
  readonly tag?: string;
  readonly segments: readonly Segment[];
  readonly transitions: readonly Transition[];
}
