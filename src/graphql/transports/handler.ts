/** GraphQL over HTTP, without HTTP itself: requests and responses. */
import { looksLikeJsonObject } from '../../base/json-sniffing.js';
import type { ErrorCode } from '../../errors/catalogue.js';
import { asTesseraError, failure, type TesseraError } from '../../errors/error.js';
import type { Session } from '../../session/contract.js';
import { parseJson } from '../../value/codecs/json.js';
import { isArray, type ObjectValue, type Value } from '../../value/value.js';
import type { EffectiveLimits } from '../base/effective-limits.js';
import { type GraphqlRequest, readGraphqlParameters, readGraphqlRequest } from '../base/request.js';
import type { GraphqlService, OperationResult } from '../service.js';
import { resultsText, standardText } from './response.js';

interface Asked {
  /** Signed in, with its namespace and database selected. */
  readonly session: Session;
  readonly accept: string | undefined;
}

export interface GraphqlPost extends Asked {
  readonly contentType: string | undefined;
  readonly body: string;
  /** Returns the body as JSON, or throws its error, if it was decoded in pieces before. */
  readonly read?: (() => Value) | undefined;
  /** Whether a browser sends it for a web page. */
  readonly fromPage?: boolean;
  /** Whether it comes with credentials that no browser adds of itself. */
  readonly hasOwnCredentials?: boolean;
}

export interface GraphqlGet extends Asked {
  /** The query string. */
  readonly parameters: ObjectValue;
}

export interface GraphqlHttpResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Answers GraphQL over HTTP. What it throws becomes an ordinary error answer. */
export type GraphqlHandler = (request: GraphqlGet | GraphqlPost) => Promise<GraphqlHttpResponse>;

/** The handler of GraphQL over HTTP; `json` is the form that `Accept: application/json` alone gets. */
export function createGraphqlHandler(service: GraphqlService, json: 'results' | 'standard'): GraphqlHandler {
  return async (request) => {
    const { session } = request;
    const form = answerForm(request.accept, json);
    let isWellFormed = false;
    try {
      const asked =
        'parameters' in request
          ? readGraphqlParameters(request.parameters)
          : readBody(request, form, service.allowance(session));
      isWellFormed = true;
      if ('batch' in asked) return { ...respond(form, 200), body: await answerEach(service, session, asked) };
      const outcome = await service.answer(session, asked);
      return { ...respond(form, statusOf(form, outcome)), body: textOf(form, outcome) };
    } catch (thrown) {
      const error = asTesseraError(thrown);
      const isOfDocument = isWellFormed && OF_DOCUMENTS.has(error.code);
      // Errors of our own making go to the log with the rest.
      if (error.code === 'internal' || (form.kind === 'results' && !isOfDocument)) throw error;
      const status = isOfDocument ? statusOfDocument(form, error) : error.httpStatus;
      return { ...respond(form, status), body: textOf(form, requestFailure(error)) };
    }
  };
}

/**
 * The request, where only one may come.
 * @throws TesseraError `unsupported_media_type`, `json_invalid`, `graphql_request`
 */
export function readSingle(request: GraphqlGet | GraphqlPost): GraphqlRequest {
  if ('parameters' in request) return readGraphqlParameters(request.parameters);
  if (request.hasOwnCredentials !== true || !isUntold(request)) checkContentType(request.contentType);
  return readGraphqlRequest(jsonOf(request));
}

function isUntold({ contentType, body }: GraphqlPost): boolean {
  return looksLikeJsonObject(contentType, body.charCodeAt(0));
}

function jsonOf({ body, read }: GraphqlPost): Value {
  return read === undefined ? parseJson(body) : read();
}

/** Requests that came together, unread. */
interface Batch {
  readonly batch: readonly Value[];
}

function readBody(post: GraphqlPost, form: AnswerForm, { limits, beyond }: EffectiveLimits): GraphqlRequest | Batch {
  const { contentType, fromPage = false, hasOwnCredentials = false } = post;
  // GraphQL over HTTP requires a Content-Type; the results form doesn't. Requests from web pages always need one, since
  // browsers send the other types across origins without a preflight and with stored credentials (CSRF). A request with
  // explicit credentials isn't such a page.
  const isLenient = hasOwnCredentials || (form.kind === 'results' && !fromPage);
  if (!isLenient || !isUntold(post)) checkContentType(contentType);
  const value = jsonOf(post);
  if (!isArray(value)) return readGraphqlRequest(value);
  if (value.length === 0) throw failure('graphql_request', { reason: 'the batch is empty' });
  if (limits.batch === 1 || value.length > limits.batch) throw beyond('batch');
  return { batch: value };
}

/** The responses of a batch, sequentially, in the standard form. Errors are reported per request. */
async function answerEach(service: GraphqlService, session: Session, { batch }: Batch): Promise<string> {
  const texts: string[] = [];
  const spending = service.spending(session);
  for (const element of batch) {
    try {
      texts.push(standardText(await service.answer(session, readGraphqlRequest(element), spending)));
    } catch (thrown) {
      const error = asTesseraError(thrown);
      if (error.code === 'internal') throw error;
      texts.push(standardText(requestFailure(error)));
    }
  }
  return `[${texts.join(',')}]`;
}

function respond({ contentType }: AnswerForm, status: number): Omit<GraphqlHttpResponse, 'body'> {
  return { status, contentType };
}

function textOf({ kind }: AnswerForm, outcome: OperationResult): string {
  return kind === 'results' ? resultsText(outcome) : standardText(outcome);
}

/** 400 if nothing was executed and the form uses HTTP statuses. */
function statusOf({ statuses }: AnswerForm, { roots }: OperationResult): number {
  return statuses && roots === undefined ? 400 : 200;
}

function requestFailure(error: TesseraError): OperationResult {
  return { failures: [{ error, message: error.message }] };
}

function statusOfDocument({ statuses }: AnswerForm, { code, httpStatus }: TesseraError): number {
  // The restrictions of GET are HTTP errors, whichever form the answer has.
  if (code === 'graphql_query_only') return httpStatus;
  return statuses ? 400 : 200;
}

/** The request was well-formed; only its document is at fault. */
const OF_DOCUMENTS: ReadonlySet<string> = new Set<ErrorCode>([
  'graphql_document_unknown',
  'graphql_document_untrusted',
  'graphql_operation',
  'graphql_query_only',
  'graphql_fragment_cycle',
  'graphql_introspection_disabled',
  'graphql_limit',
]);

function checkContentType(contentType: string | undefined): void {
  const [type, ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (type !== 'application/json' || (charset !== undefined && !UTF8.has(charset))) {
    throw failure('unsupported_media_type', { accepted: ['application/json'] });
  }
}
const UTF8: ReadonlySet<string> = new Set(['utf-8', 'utf8', '"utf-8"']);

// Negotiates the form of a response.
//
//     Accept: application/json                   results: [{time, status, result}, …], unless configured as standard
//     Accept: application/graphql-response+json  standard: {data, errors}, with the status codes of GraphQL over HTTP
//     Accept: any list, or a wildcard            standard

interface AnswerForm {
  readonly kind: 'results' | 'standard';
  readonly contentType: string;
  /** Whether HTTP statuses reflect errors in the document, as for `application/graphql-response+json` only. */
  readonly statuses: boolean;
}

const RESULTS: AnswerForm = { kind: 'results', contentType: 'application/json', statuses: true };
const STANDARD_JSON: AnswerForm = {
  kind: 'standard',
  contentType: 'application/json; charset=utf-8',
  statuses: false,
};
const STANDARD: AnswerForm = {
  kind: 'standard',
  contentType: 'application/graphql-response+json; charset=utf-8',
  statuses: true,
};

const JSON_TYPE = 'application/json';
const RESPONSE_TYPE = 'application/graphql-response+json';

/** @throws TesseraError `graphql_accept_missing`, `not_acceptable` */
export function answerForm(accept: string | undefined, json: 'results' | 'standard'): AnswerForm {
  if (accept === undefined || accept.trim() === '') throw failure('graphql_accept_missing');
  const ranges = accept.split(',').map(readRange);
  const [only] = ranges;
  if (json === 'results' && ranges.length === 1 && only?.type === JSON_TYPE && only.quality > 0) return RESULTS;
  const response = qualityOf(RESPONSE_TYPE, ranges, false);
  // A wildcard accepts any form, and plain JSON is the most compatible.
  const plain = qualityOf(JSON_TYPE, ranges, true);
  if (response === 0 && plain === 0) throw failure('not_acceptable', { offered: [JSON_TYPE, RESPONSE_TYPE] });
  return response >= plain ? STANDARD : STANDARD_JSON;
}

interface MediaRange {
  readonly type: string;
  readonly quality: number;
}

function readRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** RFC 9110 §12.5.1: the most specific range that matches a type decides. */
function qualityOf(type: string, ranges: readonly MediaRange[], wildcards: boolean): number {
  for (const name of wildcards ? [type, 'application/*', '*/*'] : [type]) {
    const range = ranges.find((each) => each.type === name);
    if (range !== undefined) return range.quality;
  }
  return 0;
}
