/** GraphQL over HTTP, without HTTP: what a request says and what goes back. */
import { isUntoldJson } from '../base/untold-json.js';
import type { ErrorCode } from '../errors/catalogue.js';
import { asTesseraError, failure, type TesseraError } from '../errors/error.js';
import type { Session } from '../session/contract.js';
import { parseJson } from '../value/json.js';
import { type AnswerForm, answerForm } from './accept.js';
import { readGraphqlRequest } from './request.js';
import { resultsText, standardText } from './response.js';
import type { GraphqlService, Outcome } from './service.js';

export interface GraphqlHttpRequest {
  /** Signed in, with its namespace and database selected. */
  readonly session: Session;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  readonly body: string;
}

export interface GraphqlHttpResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Answers GraphQL over HTTP. What it throws becomes an ordinary error answer. */
export type GraphqlHandler = (request: GraphqlHttpRequest) => Promise<GraphqlHttpResponse>;

/** `json` is what `Accept: application/json` alone gets. */
export function createGraphqlHandler(service: GraphqlService, json: 'results' | 'standard'): GraphqlHandler {
  return async ({ session, accept, contentType, body }) => {
    const form = answerForm(accept, json);
    try {
      // GraphQL over HTTP wants a Content-Type; who asks for results, as our own interface has them, needs none.
      if (form.kind === 'standard' || !isUntoldJson(contentType, body.charCodeAt(0))) checkContentType(contentType);
      const outcome = await service.answer(session, readGraphqlRequest(parseJson(body)));
      return respond(form, outcome, statusOf(form, outcome));
    } catch (thrown) {
      const error = asTesseraError(thrown);
      const isOfDocument = DOCUMENT_ERRORS.has(error.code);
      // Errors of our own making go to the log with the rest.
      if (error.code === 'internal' || (form.kind === 'results' && !isOfDocument)) throw error;
      return respond(form, requestFailure(error), isOfDocument && !form.statuses ? 200 : error.httpStatus);
    }
  };
}

function respond({ kind, contentType }: AnswerForm, outcome: Outcome, status: number): GraphqlHttpResponse {
  return { status, contentType, body: kind === 'results' ? resultsText(outcome) : standardText(outcome) };
}

/** 400 when nothing was run, where the form's statuses tell of it. */
function statusOf({ statuses }: AnswerForm, { roots }: Outcome): number {
  return statuses && roots === undefined ? 400 : 200;
}

function requestFailure(error: TesseraError): Outcome {
  return { failures: [{ error, message: error.message }] };
}

/** The request was well-formed; only its document is at fault. */
const DOCUMENT_ERRORS: ReadonlySet<string> = new Set<ErrorCode>([
  'graphql_document_unknown',
  'graphql_document_untrusted',
  'graphql_operation',
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
