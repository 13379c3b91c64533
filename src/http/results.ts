import type { FastifyReply } from 'fastify';
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { statementResults, statementResultsJson } from '../rpc/response.js';
import type { StatementResult } from '../session/contract.js';
import { isLarge } from '../value/pieces.js';
import { type Context, sendBody } from './context.js';
import { type Format, JSON_FORMAT } from './format.js';
import { encodeAnswer } from './large-answer.js';

/** Answers with an entry for each statement: `[{ status, result, time }]`. */
export function sendResults(
  { environment }: Context,
  reply: FastifyReply,
  format: Format,
  results: readonly StatementResult[],
): PromiseOrValue<FastifyReply> {
  if (format === JSON_FORMAT && !results.some(({ outcome }) => outcome.ok && isLarge(outcome.value))) {
    return sendBody(reply, format.contentType, statementResultsJson(results));
  }
  return andThen(encodeAnswer(statementResults(results), format, environment), (body) =>
    sendBody(reply, format.contentType, body),
  );
}
