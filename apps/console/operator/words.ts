import { accounts } from './words/accounts.js';
import { carriers } from './words/carriers.js';
import { frame } from './words/frame.js';
import { inbound } from './words/inbound.js';
import { margin } from './words/margin.js';
import { me } from './words/me.js';
import { messages } from './words/messages.js';
import { overview } from './words/overview.js';
import { people } from './words/people.js';
import { service } from './words/service.js';
import { session } from './words/session.js';
import { fx, tariffs } from './words/tariffs.js';

/** The words of the operators' console. A translation is another catalogue of this shape. */
export const t = {
  ...frame,
  session,
  overview,
  accounts,
  carriers,
  messages,
  inbound,
  people,
  me,
  tariffs,
  fx,
  margin,
  ...service,
};
