/** GraphQL as a method of RPC. */
import type { Session } from '../session/contract.js';
import { parseJson } from '../value/json.js';
import type { ObjectValue } from '../value/value.js';
import { readGraphqlRequest } from './request.js';
import { standardText } from './response.js';
import type { GraphqlService } from './service.js';

/** Runs `{query, variables?, operationName?}` in a session; gives `{data?, errors?}`. */
export function createGraphqlMethod(
  service: GraphqlService,
): (session: Session, request: ObjectValue) => Promise<ObjectValue> {
  return async (session, request) =>
    parseJson(standardText(await service.answer(session, readGraphqlRequest(request)))) as ObjectValue;
}
