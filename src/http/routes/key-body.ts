import type { FastifyRequest } from 'fastify';
import { failure, TesseraError } from '../../errors/error.js';
import type { Expression } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import { parseExpression } from '../../language/parse.js';
import { transformExpression } from '../../language/visitor.js';
import type { ObjectValue, Value } from '../../value/value.js';
import { CBOR, JSON_FORMAT, utf8Text } from '../base/format.js';
import { mediaType } from '../base/negotiation.js';
import { bodyOf } from '../request/request-body.js';

/**
 * The body of a request to `/key`: JSON, CBOR, or a literal of the query language (`{ born: d'1815-12-10T00:00:00Z',
 * name: $name }`). Nothing in it is executed; `$name` is a parameter of the query string.
 * @throws TesseraError `malformed_request`, `parse_error`
 */
export function readKeyBody(request: FastifyRequest, parameters: ObjectValue): Value {
  const body = bodyOf(request);
  const type = mediaType(request.headers['content-type'] ?? '');
  if (type === CBOR.contentType) return CBOR.decode(body);
  if (body.length === 0) throw failure('malformed_request', { reason: 'the body must be a value' });
  return readJson(body) ?? readWritten(utf8Text(body), parameters);
}

/** JSON is tried separately, since it has escapes which the language lacks. */
function readJson(body: Uint8Array): Value {
  try {
    return JSON_FORMAT.decode(body);
  } catch (error) {
    if (error instanceof TesseraError) return undefined;
    throw error;
  }
}

function readWritten(text: string, parameters: ObjectValue): Value {
  const value = constantValue(withParameters(parseExpression(text), parameters));
  if (value === undefined)
    throw failure('malformed_request', { reason: 'the body must be a value, with nothing to be computed' });
  return value.value;
}

function withParameters(expression: Expression, parameters: ObjectValue): Expression {
  return transformExpression(expression, (node) => {
    if (node.kind !== 'param') return undefined;
    if (Object.hasOwn(parameters, node.name)) return { kind: 'literal', value: parameters[node.name] };
    throw failure('malformed_request', { reason: `the query string gives no \`${node.name}\`` });
  });
}
