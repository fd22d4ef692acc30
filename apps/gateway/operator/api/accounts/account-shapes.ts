import { Type } from '@sinclair/typebox';
import { AccountId, Currency, Moment, Money, Named, nullable, Word } from '../shapes.js';

export const STATUS = Word(
  ['active', 'suspended', 'closed'],
  '`suspended`: requests are refused until it is resumed; `closed`: for good.',
);

const Sender = Type.String({ maxLength: 16, description: 'The sender that handsets show.', examples: ['Acme'] });
const AllowedSenders = Type.Array(Type.String({ maxLength: 16 }), {
  maxItems: 100,
  description: 'The senders that its messages may ask for, beside its own.',
  examples: [['Acme', '+46700100200']],
});
const MaxInFlight = Type.Integer({ minimum: 1, description: 'Messages in flight at a time.', examples: [20] });
const RateLimit = Type.Integer({ minimum: 1, description: 'Messages a second.', examples: [50] });
const BalanceAlert = Money(
  'Below it, the webhooks of the account are told that the balance is low, and operators see it.',
);
const CreditLimit = Money('How far the balance may go below 0.');
const Name = Type.String({ minLength: 1, maxLength: 100, description: 'Who it is for.', examples: ['Acme Ltd'] });
const Tariff = Type.String({ minLength: 1, description: 'Its price list.', examples: ['default-eur'] });

const FIELDS = {
  accountId: AccountId,
  name: Name,
  status: STATUS,
  holdsQueued: Type.Boolean({ description: 'It is suspended, and its queued messages wait until it is resumed.' }),
  currency: Currency,
  tariff: Tariff,
  creditLimit: CreditLimit,
  rateLimitPerSecond: nullable(RateLimit),
  sender: nullable(Sender),
  allowedSenders: AllowedSenders,
  maxInFlight: nullable(MaxInFlight),
  balanceAlert: nullable(BalanceAlert),
  totalDeposits: Money('Deposits and adjustments.'),
  totalConsumed: Money('What messages cost: `reserved` and `captured`.'),
  reserved: Money('For messages that are not final.'),
  captured: Money('For messages that a carrier took.'),
  creditRemaining: Money('The balance: `totalDeposits` less `totalConsumed`.'),
  isLow: Type.Boolean({ description: 'It is active, and its balance is below its balance alert.' }),
  messages: Type.Integer({ description: 'Messages accepted so far.' }),
  createdAt: Moment('When it was opened.'),
};

export const Account = Named('Account', Type.Object(FIELDS));
export const NewAccount = Type.Object({
  ...FIELDS,
  keyId: Type.String({ examples: ['3f9a1c0e'] }),
  apiKey: Type.String({ description: 'Shown only now.', examples: ['hg_3f9a1c0e_the-rest-of-the-key'] }),
});
export const SuspendedAccount = Type.Object({
  ...FIELDS,
  queued: Type.Integer({ description: 'Messages that are queued now.' }),
  sending: Type.Integer({ description: 'Messages that are being sent, which cannot be stopped.' }),
  refunded: Type.Integer({ description: 'Messages that were canceled and refunded.' }),
});
export const ResumedAccount = Type.Object({
  ...FIELDS,
  released: Type.Integer({ description: 'Messages that were held, and may be sent now.' }),
});

export const AccountWishes = Type.Object({
  name: Name,
  currency: Currency,
  creditLimit: Type.Optional(CreditLimit),
  tariff: Type.Optional(Tariff),
  rateLimitPerSecond: Type.Optional(RateLimit),
  sender: Type.Optional(Sender),
});

export const AccountChange = Type.Object(
  {
    name: Type.Optional(Name),
    tariff: Type.Optional(Tariff),
    sender: Type.Optional(nullable(Sender)),
    allowedSenders: Type.Optional(AllowedSenders),
    maxInFlight: Type.Optional(nullable(MaxInFlight)),
    balanceAlert: Type.Optional(nullable(BalanceAlert)),
  },
  { minProperties: 1, description: 'What is left out stays; null removes a setting.' },
);

export const RateLimitChange = Type.Object({ rateLimitPerSecond: nullable(RateLimit) });
export const CreditLimitChange = Type.Object({ creditLimit: CreditLimit });
