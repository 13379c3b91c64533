/** `GET /metrics`: for users of the root level, since it shows what all namespaces do. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure } from '../../errors/error.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import type { RouteContext } from '../base/context.js';
import { inSession } from '../request/request-session.js';
import { sendBody } from '../response/reply.js';

export function metricsRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  return inSession(context, request, reply, async (session) => {
    authorize(session.identity, 'view', {}, 'Metrics');
    const { metricsText } = context;
    if (metricsText === undefined) throw failure('route_missing');
    return sendBody(reply.header('cache-control', 'no-store'), metricsText.contentType, await metricsText.write());
  });
}
