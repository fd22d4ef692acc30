import { Type } from '@sinclair/typebox';
import {
  inboundAssign,
  inboundList,
  keywordList,
  keywordRemove,
  keywordSet,
  MESSAGE_LIST_TIMEOUT_MS,
  numberAssign,
  numberList,
  numberRelease,
} from '#operations';
import { INBOUND_KEYWORDS } from '#persistence';
import { type Endpoint, endpoint } from '../endpoint.js';
import { AccountId, AccountName, CarrierName, Moment, Named, nullable, PAGING_BY_ID, PageOf, Word } from '../shapes.js';

const Id = Type.String({ format: 'uuid', examples: ['019a3f1e-5c1b-7c3e-9d55-0c8e6f1a2b3c'] });
const Address = Type.String({ minLength: 1, maxLength: 64, examples: ['+46701234567'] });
const Action = Word(INBOUND_KEYWORDS, 'What it does: opt out, opt in, or nothing (`help`).');
const Keyword = Type.String({ minLength: 1, maxLength: 40, description: 'The whole text.', examples: ['stop'] });
const Language = Type.String({ pattern: '^[a-z]{2}$', description: 'ISO 639-1, for people.', examples: ['en'] });

const Inbound = Named(
  'InboundMessage',
  Type.Object({
    inboundId: Id,
    receivedAt: Moment('When it was stored.'),
    accountId: nullable(AccountId),
    accountName: nullable(AccountName),
    unassigned: nullable(
      Word(['unknown', 'ambiguous'], 'Why it has no account: no account sends from its number, or several do.'),
    ),
    carrier: nullable(CarrierName),
    sender: Type.String({ description: 'Who wrote it.', examples: ['46701234567'] }),
    recipient: Type.String({ description: 'The number or sender that it was sent to.', examples: ['12345'] }),
    keyword: nullable(Action),
    inReplyTo: nullable(Id),
    parts: Type.Integer(),
    missingParts: Type.Integer(),
    message: Type.Optional(Type.String({ description: 'Only if texts were asked for, which is recorded.' })),
  }),
);
const ASSIGNMENT = {
  number: Type.String({ description: 'Digits of a number, or a sender in lower case.', examples: ['12345'] }),
  accountId: AccountId,
  createdAt: Moment('When it was assigned.'),
};
const Assignment = Named('NumberAssignment', Type.Object(ASSIGNMENT));
const ListedNumber = Named('ListedNumber', Type.Object({ ...ASSIGNMENT, accountName: AccountName }));
const InboundWord = Named('InboundWord', Type.Object({ word: Keyword, action: Action, language: Language }));

export const INBOUND_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    useCase: 'inbound.list',
    method: 'GET',
    path: '/inbound',
    summary: 'Lists messages from handsets, newest first, without their texts',
    description: '`unassigned=true`: those without an account. `texts=true` shows the texts, and is recorded.',
    query: Type.Object({
      account: Type.Optional(AccountId),
      unassigned: Type.Optional(Type.Boolean({ description: 'Only those without an account.' })),
      carrier: Type.Optional(CarrierName),
      sender: Type.Optional(Address),
      recipient: Type.Optional(Address),
      texts: Type.Optional(Type.Boolean({ description: 'With the texts.' })),
      ...PAGING_BY_ID,
    }),
    answer: PageOf(Inbound),
    statementTimeoutMs: MESSAGE_LIST_TIMEOUT_MS,
    isRecorded: true,
    mayUse: ({ query: { texts } }) => (texts === true ? 'message.read-text' : undefined),
    run: inboundList,
  }),
  endpoint({
    useCase: 'inbound.assign',
    method: 'POST',
    path: '/inbound/:inboundId/assign',
    summary: 'Gives a message without an account to one; a STOP or START in it is obeyed',
    params: Type.Object({ inboundId: Id }),
    body: Type.Object({ accountId: AccountId }),
    answer: Type.Object({ inboundId: Id, accountId: AccountId }),
    run: inboundAssign,
  }),
  endpoint({
    useCase: 'number.list',
    method: 'GET',
    path: '/numbers',
    summary: 'Lists the numbers that are assigned to accounts',
    query: Type.Object({ account: Type.Optional(AccountId) }),
    answer: Type.Array(ListedNumber),
    run: numberList,
  }),
  endpoint({
    useCase: 'number.assign',
    method: 'PUT',
    path: '/numbers/:number',
    summary: 'Gives a number to an account: messages to it are in its inbox from now on',
    params: Type.Object({ number: Address }),
    body: Type.Object({ accountId: AccountId }),
    answer: Assignment,
    run: numberAssign,
  }),
  endpoint({
    useCase: 'number.release',
    method: 'DELETE',
    path: '/numbers/:number',
    summary: 'Ends the assignment of a number',
    params: Type.Object({ number: Address }),
    answer: Assignment,
    run: numberRelease,
  }),
  endpoint({
    useCase: 'keyword.list',
    method: 'GET',
    path: '/keywords',
    summary: 'Lists the words that opt out and in',
    answer: Type.Array(InboundWord),
    run: keywordList,
  }),
  endpoint({
    useCase: 'keyword.set',
    method: 'PUT',
    path: '/keywords/:word',
    summary: 'Says what a message does that is this word',
    params: Type.Object({ word: Keyword }),
    body: Type.Object({ action: Action, language: Language }),
    answer: InboundWord,
    run: keywordSet,
  }),
  endpoint({
    useCase: 'keyword.remove',
    method: 'DELETE',
    path: '/keywords/:word',
    summary: 'Removes a word: a message that is this word does nothing',
    params: Type.Object({ word: Keyword }),
    answer: InboundWord,
    run: keywordRemove,
  }),
];
