import { keys, webhooks } from './developers.js';
import { inbox } from './inbox.js';
import { message, messages, scheduled } from './messages.js';
import { balanceAlert, deposits, ledger, overview, statements, testBalance, usage } from './money.js';
import { privacy } from './privacy.js';
import { suppressions } from './suppressions.js';

/** The words of the owners' console. Functions take what stands in the middle of a sentence. */
export const en = {
  navigation: {
    compose: 'Compose',
    send: 'Send',
    money: 'Money',
    developers: 'Developers',
    documentation: 'Documentation',
  },
  session: {
    title: 'Sign in to your account',
    about:
      'Use an API key of your account. The key itself is not kept: this tab gets a token that ends after 12 hours.',
    key: 'API key',
    keyHint: 'It begins with hg_. The operator of this service, or a colleague with the scope “manage”, gives you one.',
    signIn: 'Sign in',
    signOut: 'Sign out',
    again: 'Sign in again',
    over: 'Your session is over. Nothing on the page is lost: sign in and go on where you were.',
    otherAccount: 'This key belongs to another account. Sign out first to change the account.',
    who: (name: string) => `Signed in with the key ${name}`,
    test: 'Test mode',
    testBand: 'Test mode: messages of this key are simulated and paid from a test balance. Nothing reaches a phone.',
  },
  overview,
  messages,
  message,
  scheduled,
  inbox,
  balanceAlert,
  deposits,
  ledger,
  statements,
  testBalance,
  usage,
  suppressions,
  privacy,
  keys,
  webhooks,
};
