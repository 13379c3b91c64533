/** What a model knows of ways, people, and what they have proved and begun. */
import type { SoftPasskey } from '../../support/authenticator.js';
import type { AccessName } from './servers.js';

/** What each way adds to `amr`. */
export const METHODS: Readonly<Record<AccessName, readonly string[]>> = {
  password: ['pwd'],
  strict: ['pwd'],
  mail: ['mail'],
  id: ['fed'],
  corp: ['fed'],
  passkey: ['swk', 'user', 'mfa'],
  totp: ['otp'],
  recovery: ['recovery'],
};
export const isFactor = (access: AccessName) => access === 'totp' || access === 'recovery' || access === 'passkey';
export const isWayIn = (access: AccessName) => access !== 'totp' && access !== 'recovery';
export const isProvider = (access: AccessName) => access === 'id' || access === 'corp';
export const REFRESHES: ReadonlySet<AccessName> = new Set(['password', 'strict', 'corp']);
export const SIGNS_UP: ReadonlySet<AccessName> = new Set(['mail', 'id', 'passkey']);

/** What stands between one definition of an access method and the next. */
export interface Definition {
  readonly name: AccessName;
}

/** A record, until it is deleted. */
export interface Person {
  readonly id: string;
  email: string | undefined;
  isGone: boolean;
  /** Wrong second proofs in a row, and when a code is judged again. */
  wrong: number;
  lockedUntil: number;
}

/** What ties a subject to a record. */
export interface Identity {
  readonly access: AccessName;
  readonly subject: string;
  readonly person: Person;
  readonly passkey?: SoftPasskey | undefined;
  /** Of an app: its secret, and the step of the last code. */
  readonly secret?: string | undefined;
  used?: number | undefined;
  readonly codes?: Set<string> | undefined;
  isOver: boolean;
}

/** What refresh tokens of one sign-in share. */
export interface Family {
  isRevoked: boolean;
}

/** What one sign-in has given. */
export interface Session {
  readonly person: Person;
  readonly definition: Definition;
  /** In the order of the proofs. */
  readonly amr: readonly string[];
  /** When the last proof was given, by the clock of the server that judged it. */
  readonly authAt: number;
  /** The subject at a provider. */
  readonly idp: string | undefined;
  /** What it was signed in by, with which it ends. */
  readonly identity: Identity | undefined;
  /** When it was begun, by the clocks of people. */
  readonly at: number;
  /** The second in which its token was issued, by the clock of the server. */
  readonly issuedAt: number;
  readonly family: Family | undefined;
  isSignedOut: boolean;
  /** When its refresh token was used, and for what. */
  usedAt: number | undefined;
  successor: Session | undefined;
  tokens: { readonly access: string; readonly refresh?: string };
}

export type Purpose = 'sign-in' | 'signup' | 'link' | 'step' | 'second';

/** A request that has begun. */
export interface Begun {
  readonly access: AccessName;
  readonly purpose: Purpose;
  readonly name: string;
  readonly at: number;
  lifetime: number;
  /** When its lifetime has begun. */
  since: number;
  /** What is to be proved, as far as that is known. */
  subject: string | undefined;
  /** An address that is proved with it. */
  address: string | undefined;
  idp: string | undefined;
  readonly person: Person | undefined;
  /** The session of a link or step; of a second proof the first one, which has no tokens. */
  readonly session: Session | undefined;
  /** Whether the record may get its first factor by it. */
  readonly mayEnrol: boolean;
  /** Of an app and recovery codes that are to be made. */
  secret?: string | undefined;
  readonly codes?: readonly string[] | undefined;
  /** A link or a provider has proved it, so that its name is a code for the app. */
  readonly isPage: boolean;
  tries: number;
  /** It was redeemed, or ended by a newer one. */
  isOver: boolean;
  /** Servers may differ about it, so that nothing is known of it. */
  isLost: boolean;
}
