/** `http::*`: requests to other servers, as far as the server's network rules let them. */
import { STATUS_CODES } from 'node:http';
import type { NetworkAnswer } from '../env/network.js';
import { failure, TesseraError } from '../errors/error.js';
import { parseJson, stringifyJson } from '../value/codecs/json.js';
import { toDisplay } from '../value/text/text.js';
import { isObject, kindOf, type Value } from '../value/value.js';
import type { FunctionContext, FunctionRow } from './calls/contract.js';
import { any, optional } from './calls/parameters.js';

const url = optional(any('url'));
const headers = optional(any('headers'));

function withoutBody(name: string, description: string): FunctionRow {
  const run: FunctionRow['run'] = (args, context) => send(name, args, undefined, args[1], context);
  return { name: `http::${name}`, parameters: [url, headers], returns: 'any', description, deterministic: false, run };
}

function withBody(name: string, description: string): FunctionRow {
  const parameters = [url, optional(any('body')), headers];
  const run: FunctionRow['run'] = (args, context) => send(name, args, args[1], args[2], context);
  return { name: `http::${name}`, parameters, returns: 'any', description, deterministic: false, run };
}

export const httpFunctions: readonly FunctionRow[] = [
  withoutBody('delete', 'The answer to a DELETE request.'),
  withoutBody('get', 'The answer to a GET request: JSON as a value, text as a string, other bytes as they are.'),
  withoutBody('head', 'Nothing if a HEAD request succeeds; otherwise it fails.'),
  withBody('patch', 'The answer to a PATCH request.'),
  withBody('post', 'The answer to a POST request.'),
  withBody('put', 'The answer to a PUT request.'),
];

async function send(
  name: string,
  args: readonly Value[],
  body: Value,
  given: Value,
  context: FunctionContext,
): Promise<Value> {
  const refused = (reason: string) => failure('invalid_arguments', { name: `http::${name}`, reason });
  if (args.length === 0) throw refused('Missing URI argument');
  const [target] = args;
  if (typeof target !== 'string') {
    throw refused(`The first argument should be a string containing a valid URI, got: ${kindOf(target)}`);
  }
  if (given !== undefined && !isObject(given)) {
    throw refused(`Options argument should be an object, got: ${kindOf(given)}`);
  }
  const content = contentOf(body);
  const request = {
    url: target,
    method: name.toUpperCase(),
    headers: { ...content.headers, ...headersOf(given) },
    body: content.bytes,
  };
  return resultOf(await context.network.fetch(request, () => context.check()), name);
}

interface Content {
  readonly bytes: Uint8Array | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Strings and bytes go as they are, everything else as JSON. */
function contentOf(body: Value): Content {
  if (body === undefined || body === null) return { bytes: undefined, headers: {} };
  if (body instanceof Uint8Array) return { bytes: body, headers: {} };
  if (typeof body === 'string') return { bytes: Buffer.from(body), headers: {} };
  return { bytes: Buffer.from(stringifyJson(body)), headers: { 'content-type': 'application/json' } };
}

function headersOf(given: Value): Record<string, string> {
  if (!isObject(given)) return {};
  const entries = Object.entries(given).map(([name, value]) => [name.toLowerCase(), toDisplay(value)] as const);
  // Behind one address there may be hosts that mustn't be called.
  if (entries.some(([name]) => name === 'host'))
    throw failure('http_failed', { reason: 'the header host can’t be set' });
  return Object.fromEntries(entries);
}

function resultOf({ status, headers: { 'content-type': type = '' }, body }: NetworkAnswer, name: string): Value {
  if (status >= 400) throw failure('http_failed', { reason: `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd() });
  if (name === 'head') return undefined;
  if (type.startsWith('application/json')) return readJson(body);
  if (type.startsWith('application/octet-stream')) return new Uint8Array(body);
  return type.startsWith('text') ? new TextDecoder().decode(body) : undefined;
}

function readJson(body: Uint8Array): Value {
  try {
    return parseJson(new TextDecoder().decode(body));
  } catch (error) {
    if (!(error instanceof TesseraError)) throw error;
    throw failure('http_failed', { reason: `Failed to parse JSON: ${error.message}` });
  }
}
