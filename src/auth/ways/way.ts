/** What the ways of access methods of TYPE RECORD share: the row of each (`ways.ts`), and what it is called with. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { IdentityGrant } from '../../catalog/credentials/identity.js';
import type { SignInRequest } from '../../catalog/credentials/sign-in-request.js';
import type { TesseraError } from '../../errors/error.js';
import type { AccessKind, AccessWay } from '../../language/ast.js';
import type { ObjectValue, RecordId, Value } from '../../value/value.js';
import type { Proof } from '../assurance.js';
import type { AuthContext } from '../context.js';
import type { IdentityRows } from '../directory.js';
import type { SessionIdentity } from '../identity.js';
import type { AccessOf } from '../kinds/access-kind.js';
import type { StartBody } from './start-body.js';

/** An access method of TYPE RECORD. */
export type WayAccess = AccessOf<Extract<AccessKind, { kind: 'record' }>>;

/** An access method with a way, and where it is. */
export interface WayPlace {
  readonly databasePath: { readonly namespace: string; readonly database: string };
  readonly access: WayAccess;
}

/** A request that has begun. */
export interface StartedRequest {
  /** Its name, which is shown with the proof; a secret of the client that began it. */
  readonly request: string;
  /** Nanoseconds since 1970. */
  readonly expires: bigint;
  /** Of a passkey: what the page gives to the browser. */
  readonly options?: ObjectValue | undefined;
  /** Where to go to, to sign in at a provider. */
  readonly url?: string;
  /** What the way shows besides, once: `{ uri, secret }`, `{ codes }`. */
  readonly shown?: Readonly<Record<string, string | readonly string[]>> | undefined;
}

/**
 * What a way has to say for itself. Beginning and redeeming requests go by the row of the way.
 *
 * To add a way: its node in the syntax tree, its grammar in `language/definitions/access-ways.ts`, and its row.
 */
export interface WayRow<W extends AccessWay> {
  /** Begins a request. */
  start(
    context: AuthContext,
    place: WayPlace,
    way: W,
    body: StartBody,
    identity: SessionIdentity,
  ): Promise<StartedRequest>;
  /** As what its proofs count (`assurance.ts`), unless `prove` says otherwise. */
  readonly proof: Proof;
  /** How many identities a record may have at the access method: one, whose place a link takes, or up to so many. */
  readonly identities: 'one' | number;
  /**
   * Judges what a client shows for a request that no page of the server has proved; `undefined`, or an error, which is
   * only logged: it is wrong, and counted.
   */
  prove(call: ProofCall<W>): PromiseOrValue<Proven | TesseraError | undefined>;
  /** Writes what belongs to a record rather than to one identity, when one was tied to it. */
  tie?(rows: IdentityRows, identity: IdentityGrant, request: SignInRequest): void;
  /**
   * What an owner names in ACCESS … LINK, as an identity has it; `undefined` if it is none. Absent: identities of the
   * way are proved, never given.
   */
  linked?(way: W, text: string, record: RecordId): Linked | undefined;
  /** The text by which ACCESS … LINK ties an identity, a secret included. Default: its subject, as it is shown. */
  linkText?(identity: IdentityGrant): string | undefined;
  /** The record of a proof for a sign-in that no identity ties to one. Default: none, so that SIGNUP makes one. */
  claim?(rows: IdentityRows, access: string, way: W, request: SignInRequest): Promise<RecordId | undefined>;
}

/** What a client shows for a request, and what it is judged by, within the transaction that redeems it. */
export interface ProofCall<W extends AccessWay> {
  readonly context: AuthContext;
  readonly rows: IdentityRows;
  readonly access: WayAccess;
  readonly way: W;
  /** The name of the request, and its row. */
  readonly name: string;
  readonly request: SignInRequest;
  /** Of the client: its `code`, `credential`, …, none of them judged yet. */
  readonly shown: ObjectValue;
}

/** What was proved. */
export interface Proven {
  /** Of the identity, as the way compares it. */
  readonly subject: string;
  /** Default: that of the row. */
  readonly proof?: Proof;
  /** What the way keeps with the identity. Default: what it has kept before. */
  readonly kept?: ObjectValue | undefined;
  /** Whether it takes the place of what the subject had. */
  readonly isNew?: boolean;
}

/** An identity that an owner ties to a record. */
export interface Linked {
  readonly subject: string;
  readonly address?: string;
  /** What the way keeps with it. */
  readonly kept?: ObjectValue;
}

/** A text that a client shows; `undefined` for any other value. */
export function textIn(value: Value): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
