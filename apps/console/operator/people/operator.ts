import type { Role } from '../session/session.js';

export interface Operator {
  readonly name: string;
  readonly role: Role;
  readonly status: 'active' | 'disabled';
  readonly mustChangePassword: boolean;
  readonly hasSecondFactor: boolean;
  readonly sessions: number;
  readonly lastSignInAt: string | null;
  readonly lockedUntil: string | null;
}

/** Somebody with a new password, which is shown once. */
export interface NewPassword extends Operator {
  readonly password: string;
}

export interface Token {
  readonly tokenId: string;
  readonly name: string;
  readonly role: Role;
  readonly status: 'active' | 'expired' | 'revoked';
  readonly madeBy: string;
  readonly expiresAt: string;
  readonly lastUsedAt: string | null;
}

export const ROLES: readonly Role[] = ['viewer', 'support', 'finance', 'admin'];
