/** GraphQL as a method of RPC. */
import type { Session } from '../session/contract.js';
import type { ObjectValue } from '../value/value.js';
import { readGraphqlRequest } from './request.js';
import { standardValue } from './response.js';
import type { GraphqlService } from './service.js';

/** Runs `{query, variables?, operationName?}` in a session; gives `{data?, errors?}`. */
export function createGraphqlMethod(
  service: GraphqlService,
): (session: Session, request: ObjectValue) => Promise<ObjectValue> {
  return async (session, request) => standardValue(await service.answer(session, readGraphqlRequest(request)));
}
