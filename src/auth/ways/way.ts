/** What the ways of access methods of TYPE RECORD share. */
import type { AccessKind } from '../../language/ast.js';
import type { AccessOf } from '../kinds/access-kind.js';

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
}
