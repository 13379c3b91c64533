/** `bytes::*`. */
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { LOOKS } from './calls/input-limit.js';
import { bytes } from './calls/parameters.js';

export const bytesFunctions: readonly FunctionRow[] = [
  define('bytes::len', [bytes('bytes')], 'int', 'Counts the bytes.', (value) => value.length, LOOKS),
];
