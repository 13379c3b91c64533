import type { FastifyReply } from 'fastify';
import { statementResults, statementResultsJson } from '../rpc/response.js';
import type { StatementResult } from '../session/contract.js';
import { sendBody } from './context.js';
import { type Format, JSON_FORMAT } from './format.js';

/** Answers with an entry for each statement: `[{ status, result, time }]`. */
export function sendResults(reply: FastifyReply, format: Format, results: readonly StatementResult[]): FastifyReply {
  const body = format === JSON_FORMAT ? statementResultsJson(results) : format.encode(statementResults(results));
  return sendBody(reply, format.contentType, body);
}
