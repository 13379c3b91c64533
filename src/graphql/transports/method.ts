/** GraphQL as a method of RPC. */
import { runSteps } from '../../base/work/stepwise.js';
import type { Session } from '../../session/contract.js';
import { parseJsonStepwise } from '../../value/codecs/json.js';
import { DEFAULT_DECODE_LIMITS } from '../../value/nesting.js';
import type { ObjectValue } from '../../value/value.js';
import { readGraphqlRequest } from '../base/request.js';
import type { GraphqlService } from '../service.js';
import { standardText } from './response.js';

/**
 * Runs `{query, variables?, operationName?}` in a session; gives `{data?, errors?}`.
 * @throws TesseraError `graphql_request`, when it is called
 */
export function createGraphqlMethod(
  service: GraphqlService,
): (session: Session, request: ObjectValue) => Promise<ObjectValue> {
  return async (session, request) => {
    const text = standardText(await service.answer(session, readGraphqlRequest(request)));
    return (await runSteps(parseJsonStepwise(text, DEFAULT_DECODE_LIMITS), service.work())) as ObjectValue;
  };
}
