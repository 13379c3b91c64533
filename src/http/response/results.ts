/** The response to a query: JSON in one piece where it is small, any other in steps. */
import type { FastifyReply } from 'fastify';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { statementResults, statementResultsJson } from '../../rpc/response.js';
import type { StatementResult } from '../../session/contract.js';
import { type BodyFormat, JSON_FORMAT } from '../../value/codecs/formats.js';
import { isLargeValue } from '../../value/codecs/pieces.js';
import type { Context } from '../base/context.js';
import { checkedAnswer, encodeAnswer } from './large-answer.js';
import { answerBounds, sendAnswer } from './send-answer.js';

/** Responds with an entry per statement: `[{ status, result, time }]`. */
export function sendResults(
  context: Context,
  reply: FastifyReply,
  format: BodyFormat,
  results: readonly StatementResult[],
): PromiseOrValue<FastifyReply> {
  if (format === JSON_FORMAT && !results.some(({ outcome }) => outcome.ok && isLargeValue(outcome.value))) {
    const { answer } = context.options.limits;
    const text = checkedAnswer(statementResultsJson(results, answer), answer);
    return sendAnswer(context, reply, format.contentType, text);
  }
  const bounds = answerBounds(context, reply);
  return andThen(encodeAnswer(statementResults(results), format, context.environment, bounds), (body) =>
    sendAnswer(context, reply, format.contentType, body),
  );
}
