/** Parses query strings strictly: a name given twice or a broken escape is refused, rather than guessed at. */
import { failure } from '../../errors/error.js';
import { type MutableObject, newObject, type ObjectValue } from '../../value/value.js';

const MOST_PARAMETERS = 256;

/**
 * The query string of a URL as an object of texts; `undefined` when there is none.
 * @throws TesseraError `query_parameter_invalid` for broken percent escapes, a name given twice, too many parameters
 */
export function readQueryString(url: string): ObjectValue | undefined {
  const start = url.indexOf('?');
  if (start === -1 || start === url.length - 1) return undefined;
  const parts = url.slice(start + 1).split('&', MOST_PARAMETERS + 1);
  if (parts.length > MOST_PARAMETERS) {
    throw failure('query_parameter_invalid', { reason: `has more than ${MOST_PARAMETERS} parameters` });
  }
  const parameters: MutableObject = newObject();
  for (const part of parts) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    if (Object.hasOwn(parameters, name)) throw failure('query_parameter_invalid', { reason: 'gives a name twice' });
    parameters[name] = equals === -1 ? '' : decode(part.slice(equals + 1));
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw failure('query_parameter_invalid', { reason: 'has a broken percent escape' });
  }
}
