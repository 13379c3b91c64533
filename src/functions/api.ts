/** `api::*`: calls endpoints of DEFINE API without HTTP. */
import { objectFrom } from '../value/value.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { any, optional, text } from './calls/parameters.js';

export const apiFunctions: readonly FunctionRow[] = [
  define(
    'api::invoke',
    [text('path'), optional(any('request'))],
    'object',
    'What an endpoint of DEFINE API answers to a request `{body, headers, method, query}`.',
    (path, request, context) => context.invokeApi(path, request === undefined ? objectFrom({}) : request),
    { deterministic: false },
  ),
];
