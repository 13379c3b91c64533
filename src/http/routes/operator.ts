/**
 * `GET /log` and `GET /settings`: the last lines of the process's log, and the settings it was started with. For owners
 * of the root, since both say what all namespaces do and how the machine is set up.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure } from '../../errors/error.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import type { RouteContext } from '../base/context.js';
import { inSession } from '../request/request-session.js';
import { sendBody } from '../response/reply.js';

/** One JSON object on each line, the oldest first. @throws TesseraError `route_missing`, where none are kept */
export function logRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  return sendToOwner(context, request, reply, 'application/jsonl', context.recentLog);
}

/** A list of objects. @throws TesseraError `route_missing`, where they aren't known */
export function settingsRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  const { settings } = context;
  return sendToOwner(context, request, reply, 'application/json', settings && (() => JSON.stringify(settings)));
}

function sendToOwner(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  contentType: string,
  text: (() => string) | undefined,
): unknown {
  return inSession(context, request, reply, (session) => {
    authorize(session.identity, 'own', {}, 'Config');
    if (text === undefined) throw failure('route_missing');
    return sendBody(reply.header('cache-control', 'no-store'), contentType, text());
  });
}
