/** Regular expressions as arguments. */
import type { RE2JS } from 're2js';
import { TesseraError } from '../../errors/error.js';
import { compileRegex } from '../../value/regex.js';
import { toErrorText } from '../../value/text/text.js';
import { Regex, type Value } from '../../value/value.js';
import { invalidArguments } from '../calls/arguments.js';

/** The pattern that an argument is, or whose text it is. @throws TesseraError `invalid_arguments` */
export function patternOf(name: string, position: number, value: Value): RE2JS {
  try {
    if (value instanceof Regex) return compileRegex(value.source);
    if (typeof value === 'string') return compileRegex(value);
  } catch (error) {
    if (!(error instanceof TesseraError)) throw error;
  }
  throw invalidArguments(
    name,
    `Argument ${position} was the wrong type. Could not cast into \`regex\` using input \`${toErrorText(value)}\``,
  );
}
