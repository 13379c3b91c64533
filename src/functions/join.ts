import { toDisplay } from '../value/text/text.js';
import type { Value } from '../value/value.js';
import { checkLength, limitedText } from './output-limit.js';

/** The values as one text with a separator between them. @throws TesseraError `invalid_arguments` if it gets too long */
export function joinTexts(name: string, separator: string, values: readonly Value[]): string {
  let result = '';
  for (let index = 0; index < values.length; index++) {
    if (index > 0) result += separator;
    result += toDisplay(values[index]);
    checkLength(name, result.length);
  }
  return limitedText(name, result);
}
