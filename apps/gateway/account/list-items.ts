import { orderEnd } from '#billing';
import type { DepositItem, JournalItem, OrderItem } from '#persistence';
import type { Deposit, LedgerEntry, MessageOrder } from './account.dto.js';

/** Items as lists and exports have them: the contract's fields, then what was added to them. Only lists have `test`. */
export function messageItem(order: OrderItem, currency: string, test?: true | undefined): MessageOrder {
  const { reason, carrierCode } = orderEnd(order.state, order.code);
  return {
    message_uuid: order.id,
    recipient: order.recipient,
    message: order.message,
    amount: order.amount,
    currency,
    external_status: order.state,
    created_at: order.createdAt,
    segments: order.segments,
    encoding: order.isExtended ? 'extended' : 'standard',
    reason: reason ?? null,
    carrier_code: carrierCode ?? null,
    sent_at: order.sentAt ?? null,
    final_at: order.finalAt ?? null,
    reference: order.reference ?? null,
    tag: order.tag ?? null,
    send_at: order.sendAt ?? null,
    test,
  };
}

export function depositItem(item: DepositItem, accountCurrency: string): Deposit {
  return {
    amount: item.amount,
    currency: item.currency,
    created_at: item.createdAt,
    kind: item.kind,
    converted_amount: item.accountAmount,
    converted_currency: accountCurrency,
    reference: item.reference ?? null,
    reason: item.reason ?? null,
  };
}

export function ledgerItem(item: JournalItem, currency: string): LedgerEntry {
  const sign = item.credit === 'available' ? 1n : item.debit === 'available' ? -1n : 0n;
  return {
    entry: item.number,
    kind: item.kind,
    amount: item.amount,
    balance_change: sign * item.amount,
    balance_after: item.availableAfter,
    currency,
    messages: item.orderCount ?? null,
    reason: item.reason ?? null,
    created_at: item.createdAt,
  };
}
