import { randomBytes } from 'node:crypto';
import type { Database, Queryable } from '../database/database.js';
import { sha256 } from '../database/sha256.js';
import { recordOperatorAction } from './operator-changes.js';
import type { OperatorRole } from './roles.js';

/** A second factor, or a password, holds so long for what asks for it again. */
const CONFIRMED_MINUTES = 5;
const USER_AGENT_LENGTH_MAX = 300;

/** The session of a person who makes a request. */
export interface OperatorSession {
  readonly sessionId: string;
  readonly operatorId: number;
  readonly name: string;
  readonly role: OperatorRole;
  readonly mustChangePassword: boolean;
  readonly hasSecondFactor: boolean;
  readonly startedAt: Date;
  /** When it ends unless the person does something. */
  readonly idleEndsAt: Date;
  /** The person has done nothing for a minute. */
  readonly isStale: boolean;
  /** When it ends in any case. */
  readonly expiresAt: Date;
  /** Until when what moves money, or changes roles, asks for nothing. */
  readonly confirmedUntil: Date;
  readonly isConfirmed: boolean;
}

export interface ListedSession {
  readonly sessionId: string;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly address: string;
  readonly userAgent: string;
}

/** Starts a session of 12 hours. Only the answer has the token; the database keeps its SHA-256. */
export async function startSession(
  transaction: Queryable,
  operatorId: number,
  { address, userAgent }: { readonly address: string; readonly userAgent: string },
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await transaction.query(
    `delete from operator_session where session_id not in (select session_id from live_sessions())`,
  );
  await transaction.query(
    `insert into operator_session (session_hash, operator_id, expires_at, address, user_agent)
     values ($1, $2, now() + interval '12 hours', $3, $4)`,
    [sha256(token), operatorId, address, userAgent.slice(0, USER_AGENT_LENGTH_MAX)],
  );
  return token;
}

/** The sessions of tokens, each unless it has ended. */
export async function findSessions(
  database: Queryable,
  tokens: readonly string[],
): Promise<(OperatorSession | undefined)[]> {
  const hashes = tokens.map(sha256);
  const rows = await database.query<OperatorSession & { hash: Buffer }>(
    `select s.session_hash as hash, s.session_id as "sessionId", s.operator_id as "operatorId", o.name, o.role,
            o.must_change_password as "mustChangePassword", o.totp_secret is not null as "hasSecondFactor",
            s.started_at as "startedAt", s.last_seen_at + session_idle_time() as "idleEndsAt", s.expires_at as "expiresAt",
            s.last_seen_at < now() - interval '1 minute' as "isStale",
            s.confirmed_at + make_interval(mins => $2) as "confirmedUntil",
            s.confirmed_at + make_interval(mins => $2) > now() as "isConfirmed"
       from live_sessions() s join operator o using (operator_id) where s.session_hash = any($1::bytea[])`,
    [hashes, CONFIRMED_MINUTES],
  );
  const sessions = new Map(rows.map(({ hash, ...session }) => [hash.toString('hex'), session]));
  return hashes.map((hash) => sessions.get(hash.toString('hex')));
}

/** The session of a token, unless it has ended. A person does something, so it does not end for a while. */
export async function continueSession(database: Queryable, token: string): Promise<OperatorSession | undefined> {
  const [session] = await findSessions(database, [token]);
  if (session?.isStale) {
    await database.query('update operator_session set last_seen_at = now() where session_id = $1', [session.sessionId]);
  }
  return session;
}

/** The person has given the second factor once more. Returns until when that holds. */
export async function confirmSession(database: Queryable, sessionId: string): Promise<Date> {
  const [row] = await database.query<{ until: Date }>(
    `update operator_session set confirmed_at = now() where session_id = $1
     returning confirmed_at + make_interval(mins => $2) as until`,
    [sessionId, CONFIRMED_MINUTES],
  );
  return row?.until ?? new Date(0);
}

export async function listSessions(database: Queryable, name: string): Promise<ListedSession[]> {
  return database.query<ListedSession>(
    `select s.session_id as "sessionId", s.started_at as "startedAt", s.last_seen_at as "lastSeenAt",
            s.expires_at as "expiresAt", s.address, s.user_agent as "userAgent"
       from live_sessions() s join operator o using (operator_id) where o.name = $1 order by s.started_at desc`,
    [name],
  );
}

/**
 * Ends sessions of an operator. Returns how many.
 *
 * @param which one session, or all but one
 */
export function endSessions(
  database: Database,
  name: string,
  which: { readonly only?: string; readonly except?: string } = {},
): Promise<number> {
  return database.transaction(async (transaction) => {
    const ended = await transaction.query(
      `delete from operator_session s using operator o
        where o.operator_id = s.operator_id and o.name = $1
          and ($2::uuid is null or s.session_id = $2) and ($3::uuid is null or s.session_id <> $3)
        returning s.session_id`,
      [name, which.only ?? null, which.except ?? null],
    );
    if (ended.length > 0) {
      const after = { sessions: ended.length };
      await recordOperatorAction(transaction, { subject: 'session', subjectId: name, action: 'end', after });
    }
    return ended.length;
  });
}
