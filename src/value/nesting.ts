/** The bound on nesting: each recursion over values counts its depth here, so that none exhausts the stack. */
import { failure } from '../errors/error.js';
import { MAX_NESTING } from './limits.js';

/** The depth below `depth`. @throws TesseraError `nesting_too_deep` */
export function nextDepth(depth: number, limit: number = MAX_NESTING): number {
  if (depth >= limit) throw failure('nesting_too_deep', { limit });
  return depth + 1;
}

/** The bound on nesting in decoders of untrusted bytes and texts. */
export interface DecodeLimits {
  /** Levels of arrays, objects and tags within each other. */
  readonly maxDepth: number;
  /** Maximum number of values, nested ones included. Default: unlimited. */
  readonly maxValues?: number;
  /** Maximum number of keys of one object, whose key list cannot be built in steps. Default: unlimited. */
  readonly maxKeys?: number;
}

export const DEFAULT_DECODE_LIMITS: DecodeLimits = { maxDepth: 128 };
