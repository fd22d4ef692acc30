// The contract's bodies as a client would declare them, and the forms of their strings. Written from the contract, not
// from the gateway.

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** ISO 8601 UTC with milliseconds. */
export const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

export interface SendResult {
  readonly success: boolean;
  readonly messageId: string;
  readonly balanceDeduction: string;
  readonly currency: string;
}

export interface SendBatchResult {
  readonly success: boolean;
  readonly message: string;
  readonly balanceDeduction: string;
  readonly currency: string;
  readonly orderSummary: readonly {
    readonly arrayPosition: number;
    readonly amount: number;
    readonly recipient: string;
    readonly messageId: string;
  }[];
}

export interface AccountSummary {
  readonly currency: string;
  readonly totalDeposits: number;
  readonly totalConsumed: number;
  readonly creditRemaining: number;
  readonly orderSummary: { readonly messages: { readonly count: number; readonly totalAmount: number } };
}

export interface Balance {
  readonly balance: number;
  readonly currency: string;
}

export interface Pagination {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly total_pages: number;
}

export interface DepositList {
  readonly data: readonly { readonly amount: number; readonly currency: string; readonly created_at: string }[];
  readonly pagination: Pagination;
}

export interface MessageOrder {
  readonly message_uuid: string;
  readonly recipient: string;
  readonly message: string;
  readonly amount: number;
  readonly currency: string;
  readonly external_status: string;
  readonly created_at: string;
}

export interface MessageOrderList {
  readonly data: readonly MessageOrder[];
  readonly pagination: Pagination;
}

export interface FieldFault {
  readonly field: string;
  readonly arrayPosition?: number;
  readonly code: string;
  readonly detail: string;
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly success: boolean;
  readonly code: string;
  readonly requestId: string;
  readonly errors?: readonly FieldFault[];
}
