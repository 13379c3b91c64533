import type { FunctionRow } from './contract.js';
import { define } from './define.js';
import { LOOKS } from './input-limit.js';
import { bytes } from './parameters.js';

export const bytesFunctions: readonly FunctionRow[] = [
  define('bytes::len', [bytes('bytes')], 'int', 'Counts the bytes.', (value) => value.length, LOOKS),
];
