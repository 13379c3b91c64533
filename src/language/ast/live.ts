/** Live queries, live results and changefeeds. */
import type { Expression, Literal, Projections } from './expression.js';

export interface Live {
  readonly kind: 'live';
  readonly projections: Projections | { readonly kind: 'diff' };
  readonly from: Expression;
  readonly where?: Expression;
  readonly fetch?: readonly Expression[];
  /** A versionstamp, a datetime, NONE or a parameter (Tessera's own). */
  readonly since?: Expression;
}

/** `LIVE QUERY expression`: its present result, and each difference to later ones (Tessera's own). */
export interface LiveResult {
  readonly kind: 'live-result';
  /** Differences are JSON Patches of the whole result. */
  readonly diff: boolean;
  readonly expression: Expression;
  /** A duration: how often it is evaluated, whatever has changed, for what depends on the time. */
  readonly every?: Literal;
  /** The versionstamp of an earlier result, or NONE. */
  readonly since?: Expression;
}

export interface Kill {
  readonly kind: 'kill';
  readonly id: Expression;
}

export interface ShowChanges {
  readonly kind: 'show-changes';
  /** Without it, the whole database. */
  readonly table?: string;
  /** A versionstamp or a datetime. */
  readonly since: Literal;
  readonly limit?: number;
}
