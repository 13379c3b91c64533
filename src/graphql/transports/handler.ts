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
import { type AnswerForm, answerForm } from './negotiation.js';
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
