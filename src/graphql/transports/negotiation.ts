/**
 * Negotiates the form of a response.
 *
 *     Accept: application/json                   results: [{time, status, result}, …], unless configured as standard
 *     Accept: application/graphql-response+json  standard: {data, errors}, with the status codes of GraphQL over HTTP
 *     Accept: any list, or a wildcard            standard
 */
import { failure } from '../../errors/error.js';

export interface AnswerForm {
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
