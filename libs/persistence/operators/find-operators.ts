import type { Queryable } from '../database/database.js';
import { OperatorError } from './operator-error.js';
import type { OperatorRole } from './roles.js';

export interface OperatorOverview {
  readonly name: string;
  readonly role: OperatorRole;
  readonly status: 'active' | 'disabled';
  /** Somebody else chose the password, and the person has not changed it yet. */
  readonly mustChangePassword: boolean;
  readonly hasSecondFactor: boolean;
  readonly recoveryCodesLeft: number;
  readonly sessions: number;
  readonly createdAt: Date;
  readonly lastSignInAt: Date | undefined;
  /** No password or code is checked before, because too many were wrong. */
  readonly lockedUntil: Date | undefined;
}

export async function listOperators(database: Queryable): Promise<OperatorOverview[]> {
  return readOperators(database, null);
}

/** @throws OperatorError when nobody has the name */
export async function findOperator(database: Queryable, name: string): Promise<OperatorOverview> {
  const [operator] = await readOperators(database, name);
  if (operator === undefined) throw unknownOperator(name);
  return operator;
}

export function unknownOperator(name: string): OperatorError {
  return new OperatorError(`there is no operator ${name}`);
}

async function readOperators(database: Queryable, name: string | null): Promise<OperatorOverview[]> {
  const rows = await database.query<
    Omit<OperatorOverview, 'lastSignInAt' | 'lockedUntil'> & { lastSignInAt: Date | null; lockedUntil: Date | null }
  >(
    `select o.name, o.role, case when o.disabled_at is null then 'active' else 'disabled' end as status,
            o.must_change_password as "mustChangePassword", o.totp_secret is not null as "hasSecondFactor",
            (select count(*)::integer from operator_recovery_code c where c.operator_id = o.operator_id) as "recoveryCodesLeft",
            (select count(*)::integer from live_sessions() s where s.operator_id = o.operator_id) as sessions,
            o.created_at as "createdAt", o.last_sign_in_at as "lastSignInAt",
            case when o.locked_until > now() then o.locked_until end as "lockedUntil"
       from operator o where $1::text is null or o.name = $1 order by o.name`,
    [name],
  );
  return rows.map((row) => ({
    ...row,
    lastSignInAt: row.lastSignInAt ?? undefined,
    lockedUntil: row.lockedUntil ?? undefined,
  }));
}
