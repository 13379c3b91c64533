/**
 * Reads manifests of documents: the files that clients' compilers write of the documents that they found in the
 * sources.
 */
import { GraphQLError, parse } from 'graphql';
import { asTesseraError, failure, type TesseraError } from '../../errors/error.js';
import { parseJson } from '../../value/codecs/json.js';
import { isArray, isObject, type ObjectValue, type Value } from '../../value/value.js';

/** Documents by their ids. */
export type TrustedManifest = ReadonlyMap<string, string>;

const APOLLO_FORMAT = 'apollo-persisted-query-manifest';

/**
 * Reads `{"<id>": "<document>"}`, as Relay and most others write it, or Apollo's
 * `{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id", "name", "type", "body"}]}`.
 * @throws TesseraError `graphql_manifest`, with the reason
 */
export function readTrustedManifest(text: string): TrustedManifest {
  const value = read(text);
  if (!isObject(value)) throw wrong('a manifest of documents is a JSON object');
  const manifest = new Map<string, string>();
  for (const [id, body] of 'format' in value ? apolloEntries(value) : Object.entries(value)) {
    if (typeof id !== 'string' || id === '') throw wrong('the id of every document must be a text');
    if (typeof body !== 'string') throw wrong(`the document "${id}" must be a text`);
    if (manifest.has(id)) throw wrong(`there are two documents "${id}"`);
    checkSyntax(id, body);
    manifest.set(id, body);
  }
  return manifest;
}

function read(text: string): Value {
  try {
    return parseJson(text);
  } catch (error) {
    throw wrong(`a manifest of documents is JSON: ${asTesseraError(error).message}`);
  }
}

function apolloEntries({ format, version, operations }: ObjectValue): [id: Value, body: Value][] {
  if (format !== APOLLO_FORMAT || version !== 1) {
    throw wrong(`of manifests with a "format", only "${APOLLO_FORMAT}" of "version" 1 is known`);
  }
  if (!isArray(operations)) throw wrong('"operations" must be a list');
  return operations.map((operation) => {
    if (!isObject(operation)) throw wrong('each of "operations" must be an object');
    return [operation['id'], operation['body']];
  });
}

/** A manifest that can't be served shouldn't wait for its first client to be noticed. */
function checkSyntax(id: string, document: string): void {
  try {
    parse(document, { noLocation: true });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw wrong(`the document "${id}": ${error.message}`);
  }
}

function wrong(reason: string): TesseraError {
  return failure('graphql_manifest', { reason });
}
