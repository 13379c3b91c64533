import { failure } from '../errors/error.js';
import { MAX_NESTING } from './limits.js';

/** The depth below `depth`. @throws TesseraError `nesting_too_deep` */
export function deeper(depth: number, limit: number = MAX_NESTING): number {
  if (depth >= limit) throw failure('nesting_too_deep', { limit });
  return depth + 1;
}

/** What decoders of foreign bytes and texts are bounded by. */
export interface DecodeLimits {
  /** Levels of arrays, objects and tags within each other. */
  readonly maxDepth: number;
  /** Values, those in others included; any number unless told. */
  readonly maxValues?: number;
  /** Keys of one object, whose list can't be made in pieces; any number unless told. */
  readonly maxKeys?: number;
}

export const DEFAULT_LIMITS: DecodeLimits = { maxDepth: 128 };
