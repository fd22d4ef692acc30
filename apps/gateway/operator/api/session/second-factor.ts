import { Type } from '@sinclair/typebox';
import { renderSVG } from 'uqr';
import { beginEnrolment, endEnrolment, removeSecondFactor, renewRecoveryCodes } from '#persistence';
import { Problem } from '../../../http/problem.js';
import { type Endpoint, endpoint } from '../endpoint.js';
import { sessionOf } from './own-session.js';

const RecoveryCodes = Type.Object({
  recoveryCodes: Type.Array(Type.String(), {
    description: 'Each signs the person in once without the device. They are shown now and never again.',
  }),
});

const beginSecondFactor = endpoint({
  useCase: 'me.second-factor.begin',
  method: 'POST',
  path: '/me/second-factor',
  summary: 'Begins the enrolment of a device for one-time codes',
  description: 'Nothing changes for the person before a code of the device ends the enrolment.',
  answer: Type.Object({
    secret: Type.String({ description: 'In base 32, for a person to type into the device.' }),
    uri: Type.String({ description: 'The same as an `otpauth://` address.' }),
    qrCode: Type.String({ description: 'The same as a picture, in a `data:` address.' }),
  }),
  handle: async ({ person, service }) => {
    const { operatorId, name } = sessionOf(person);
    const { secret, uri } = await beginEnrolment(service.database, operatorId, name);
    const picture = Buffer.from(renderSVG(uri)).toString('base64');
    return { secret, uri, qrCode: `data:image/svg+xml;base64,${picture}` };
  },
});

const enableSecondFactor = endpoint({
  useCase: 'me.second-factor.enable',
  method: 'PUT',
  path: '/me/second-factor',
  summary: 'Ends the enrolment with a code of the device',
  body: Type.Object({ code: Type.String({ maxLength: 20, examples: ['123456'] }) }),
  answer: RecoveryCodes,
  refusals: ['sign_in_failed'],
  handle: async ({ body, person, database }) => {
    const { operatorId, name } = sessionOf(person);
    const recoveryCodes = await endEnrolment(database, operatorId, name, body.code.replaceAll(' ', ''));
    if (recoveryCodes === undefined) throw new Problem('sign_in_failed', 'The code is wrong. Is the clock right?');
    return { recoveryCodes };
  },
});

const disableSecondFactor = endpoint({
  useCase: 'me.second-factor.disable',
  method: 'DELETE',
  path: '/me/second-factor',
  summary: 'Ends the second factor: the password is enough',
  status: 204,
  handle: async ({ person, database }) => removeSecondFactor(database, sessionOf(person).operatorId),
});

const renewCodes = endpoint({
  useCase: 'me.recovery-codes.renew',
  method: 'POST',
  path: '/me/recovery-codes',
  summary: 'Makes new recovery codes in place of all earlier ones',
  answer: RecoveryCodes,
  handle: async ({ person, database }) => {
    const { operatorId, name, hasSecondFactor } = sessionOf(person);
    if (!hasSecondFactor) throw new Problem('not_possible', 'Recovery codes belong to a second factor.');
    return { recoveryCodes: await renewRecoveryCodes(database, operatorId, name) };
  },
});

export const SECOND_FACTOR_ENDPOINTS: readonly Endpoint[] = [
  beginSecondFactor,
  enableSecondFactor,
  disableSecondFactor,
  renewCodes,
];
