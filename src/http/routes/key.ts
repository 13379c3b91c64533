/** `/key/:table` and `/key/:table/:id`: records by plain HTTP. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { andThen } from '../../base/promise-or-value.js';
import { failure, TesseraError } from '../../errors/error.js';
import type { Expression, Param, Projection, Select, Statement } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import { parseExpression, parseIdiom, parseRecordId } from '../../language/parse.js';
import { transformExpression } from '../../language/visitor.js';
import { FORMATS, JSON_FORMAT, utf8Text } from '../../value/codecs/formats.js';
import { parseUuid } from '../../value/uuid.js';
import { newObject, type ObjectValue, Range, RecordId, Table, type Value } from '../../value/value.js';
import type { RouteContext } from '../base/context.js';
import { mediaType, responseFormat } from '../base/negotiation.js';
import { decodeAtOnce } from '../request/decode-message.js';
import { readQueryString } from '../request/query-string.js';
import { bodyOf } from '../request/request-body.js';
import { inSession } from '../request/request-session.js';
import { sendResults } from '../response/results.js';

export const KEY_METHODS = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'] as const;
type WritingMethod = Exclude<(typeof KEY_METHODS)[number], 'GET'>;

const param = (name: string): Param => ({ kind: 'param', name });
const TARGETS = [param('_what')];
const AT_TARGETS = { only: false, targets: TARGETS } as const;
const CONTENT = { data: { kind: 'content', value: param('_data') } } as const;
const MERGE = { data: { kind: 'merge', value: param('_data') } } as const;

interface Writing {
  readonly table: Statement;
  readonly record: Statement;
}

function alike(statement: Statement): Writing {
  return { table: statement, record: statement };
}

/** The statements of each method, for a table and for one record. Client data is only passed in variables. */
const WRITING: Readonly<Record<WritingMethod, Writing>> = {
  POST: alike({ kind: 'create', ...AT_TARGETS, ...CONTENT }),
  PUT: { table: { kind: 'update', ...AT_TARGETS, ...CONTENT }, record: { kind: 'upsert', ...AT_TARGETS, ...CONTENT } },
  PATCH: alike({ kind: 'update', ...AT_TARGETS, ...MERGE }),
  DELETE: alike({ kind: 'delete', ...AT_TARGETS, output: { kind: 'before' } }),
};

/** Responds like `/sql`, with one entry. */
export function keyRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  const format = responseFormat(request.headers.accept);
  const { table, id } = request.params as { readonly table: string; readonly id?: string };
  const parameters = readQueryString(request.url) ?? newObject();
  const variables = newObject();
  variables['_what'] = id === undefined ? new Table(table) : new RecordId(table, readKey(id));
  const statement = statementFor(request, parameters, variables);
  return inSession(context, request, reply, (session) =>
    andThen(session.execute([statement], variables), (results) => sendResults(context, reply, format, results)),
  );
}

/** The statement, with its data added to the variables. */
function statementFor(
  request: FastifyRequest,
  parameters: ObjectValue,
  variables: ReturnType<typeof newObject>,
): Statement {
  const method = request.method as WritingMethod | 'GET' | 'HEAD';
  if (method === 'GET' || method === 'HEAD') return selecting(parameters);
  if (method !== 'DELETE') variables['_data'] = readKeyBody(request, parameters);
  const { id } = request.params as { readonly id?: string };
  return WRITING[method][id === undefined ? 'table' : 'record'];
}

function selecting({ fields, limit, start }: ObjectValue): Select {
  return {
    kind: 'select',
    only: false,
    from: TARGETS,
    projections: { kind: 'fields', items: fields === undefined ? [{ kind: 'all' }] : readFields(String(fields)) },
    ...(limit !== undefined && { limit: readCount('limit', String(limit)) }),
    ...(start !== undefined && { start: readCount('start', String(start)) }),
  };
}

/** The key at the end of a URL: a number, a UUID, or a key as written in a record id; otherwise a string. */
function readKey(text: string): RecordId['key'] {
  const uuid = text.length === 36 ? parseUuid(text) : undefined;
  const key = uuid ?? parseRecordId(`t:${text}`)?.key;
  return key === undefined || key instanceof Range ? text : key;
}

const COUNT = /^\d{1,15}$/;

function readCount(name: string, text: string): Expression {
  if (!COUNT.test(text)) throw failure('query_parameter_invalid', { reason: `needs a number as ${name}` });
  return { kind: 'literal', value: Number(text) };
}

/** `name,address.city`: paths without anything to be computed. */
function readFields(text: string): Projection[] {
  return text.split(',').map((path): Projection => {
    const expression = parseIdiom(path);
    const isPlain = expression.parts.every(({ kind }) => kind === 'field' || kind === 'all');
    if (expression.start !== undefined || !isPlain) {
      throw failure('query_parameter_invalid', { reason: 'needs names of fields as fields' });
    }
    return { kind: 'expression', expression };
  });
}

/**
 * The body of a request to `/key`: JSON, a binary format, or a literal of the query language
 * (`{ born: d'1815-12-10T00:00:00Z', name: $name }`). Nothing in it is executed; `$name` is a parameter of the query
 * string.
 * @throws TesseraError `malformed_request`, `parse_error`
 */
function readKeyBody(request: FastifyRequest, parameters: ObjectValue): Value {
  const body = bodyOf(request);
  const type = mediaType(request.headers['content-type'] ?? '');
  const format = FORMATS.find(({ contentType, isBinary }) => isBinary && contentType === type);
  if (format !== undefined) return decodeAtOnce(body, format);
  if (body.length === 0) throw failure('malformed_request', { reason: 'the body must be a value' });
  return readJson(body) ?? readWritten(utf8Text(body), parameters);
}

/** JSON is tried separately, since it has escapes which the language lacks. */
function readJson(body: Uint8Array): Value {
  try {
    return decodeAtOnce(body, JSON_FORMAT);
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
