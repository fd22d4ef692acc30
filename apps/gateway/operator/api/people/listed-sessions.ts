import { Type } from '@sinclair/typebox';
import { type Database, listSessions } from '#persistence';
import { MOMENT } from '../shapes.js';

export const SESSIONS = Type.Object({
  data: Type.Array(
    Type.Object({
      sessionId: Type.String(),
      startedAt: MOMENT,
      lastSeenAt: MOMENT,
      expiresAt: MOMENT,
      address: Type.String({ examples: ['192.0.2.7'] }),
      userAgent: Type.String({ examples: ['Mozilla/5.0 (X11; Linux x86_64) Chrome/156'] }),
      isCurrent: Type.Boolean({ description: 'The session of this request.' }),
    }),
  ),
});

/** The sessions of an operator, the newest first. */
export async function listedSessions(database: Database, name: string, currentId: string | undefined) {
  const sessions = await listSessions(database, name);
  return { data: sessions.map((session) => ({ ...session, isCurrent: session.sessionId === currentId })) };
}
