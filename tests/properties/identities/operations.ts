/** What people, owners and time do to identities, drawn at random. */
import fc from 'fast-check';
import { ACCESS, type AccessName } from './servers.js';

/** Numbers choose among what there is then, the newest first. */
export type Operation = {
  /** The server that is asked; of several at once the first one. */
  readonly server: number;
} & (
  | { readonly kind: 'password'; readonly access: 'password' | 'strict'; readonly person: number }
  | { readonly kind: 'signUp'; readonly person: number }
  | {
      /** A second factor that is due is got first. */
      readonly kind: 'enrol';
      readonly begun: number;
      readonly isDull: boolean;
    }
  | {
      readonly kind: 'start';
      readonly access: Exclude<AccessName, 'password' | 'strict'>;
      readonly purpose: 'sign-in' | 'link' | 'step';
      readonly session: number;
      /** An address. */
      readonly subject: number;
      readonly isDull: boolean;
    }
  | {
      /** A link is opened, or a person signs in at a provider, which vouches for the address or doesn't. */
      readonly kind: 'lead';
      readonly begun: number;
      readonly copies: number;
      readonly subject: number;
      readonly isVouched: boolean;
      readonly isDull: boolean;
    }
  | {
      readonly kind: 'redeem';
      readonly begun: number;
      readonly copies: number;
      /** Which passkey, which recovery code, which of the factors that are due. */
      readonly choice: number;
      /** `old`: what was right before, of another request or time. */
      readonly proof: 'right' | 'wrong' | 'old';
      readonly isDull: boolean;
    }
  | { readonly kind: 'refresh'; readonly session: number; readonly copies: number }
  | { readonly kind: 'signOut' | 'revokeFamily' | 'killOthers'; readonly session: number }
  | { readonly kind: 'revoke'; readonly identity: number }
  | {
      /** `reset`: another password, which ends sessions as `kill` does; `change`: another address in its field. */
      readonly kind: 'kill' | 'reset' | 'delete' | 'create' | 'change';
      readonly person: number;
      readonly subject: number;
    }
  | { readonly kind: 'define' | 'remove'; readonly access: AccessName }
  | { readonly kind: 'pass'; readonly milliseconds: number }
  | { readonly kind: 'replace' }
);

export type Of<K extends Operation['kind']> = Extract<Operation, { readonly kind: K }>;

const server = fc.nat(2);
const few = fc.nat(3);
/** So that several ways are one person's. */
function mostlyFirst(arbitrary: fc.Arbitrary<number>): fc.Arbitrary<number> {
  return fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary });
}
/** Mostly the newest that can go on. */
const newest = fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: few });
/** Now and then what is over, or can't be done: what was replaced or redeemed last. */
const isDull = fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });
const copies = fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constantFrom(2, 4) });
const names = Object.keys(ACCESS) as AccessName[];
const is = <const T>(...values: readonly T[]) => fc.constantFrom(...values);
const subject = mostlyFirst(fc.nat(2));
const person = mostlyFirst(few);

type Started = Exclude<AccessName, 'password' | 'strict'>;
const isStarted = (name: AccessName): name is Started => name !== 'password' && name !== 'strict';

/** With how many of some hundred operations each is. */
const drawn: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<Operation>])[] = [
  [10, fc.record({ kind: is('password'), access: is('password', 'password', 'strict'), person, server })],
  [2, fc.record({ kind: is('signUp'), person, server })],
  [3, fc.record({ kind: is('enrol'), begun: newest, isDull, server })],
  [
    24,
    fc.record({
      kind: is('start'),
      access: fc.constantFrom(...names.filter(isStarted), 'totp'),
      purpose: is('sign-in', 'sign-in', 'link', 'link', 'link', 'step'),
      session: newest,
      subject,
      isDull,
      server,
    }),
  ],
  [12, fc.record({ kind: is('lead'), begun: newest, copies, subject, isVouched: fc.boolean(), isDull, server })],
  [
    36,
    fc.record({
      kind: is('redeem'),
      begun: newest,
      copies,
      choice: few,
      proof: is('right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'wrong', 'old'),
      isDull,
      server,
    }),
  ],
  [5, fc.record({ kind: is('refresh'), session: few, copies, server })],
  [2, fc.record({ kind: is('signOut', 'revokeFamily', 'killOthers'), session: few, server })],
  [2, fc.record({ kind: is('revoke'), identity: few, server })],
  [
    3,
    fc.record({
      kind: is('kill', 'reset', 'delete', 'create', 'create', 'change'),
      person,
      subject,
      server,
    }),
  ],
  [2, fc.record({ kind: is('define', 'define', 'remove'), access: fc.constantFrom(...names), server })],
  [8, fc.record({ kind: is('pass'), milliseconds: is(10_000, 30_000, 30_000, 30_000, 61_000), server })],
  [1, fc.record({ kind: is('pass'), milliseconds: fc.nat(700_000), server })],
  [1, fc.record({ kind: is('pass'), milliseconds: fc.nat(4_000_000), server })],
  [1, fc.record({ kind: is('replace'), server })],
];

export const operation: fc.Arbitrary<Operation> = fc.oneof(
  ...drawn.map(([weight, arbitrary]) => ({ weight, arbitrary })),
);
