/** Errors of memory budgets: the request that exceeds one fails, others continue. */
import { row } from '../row.js';

const MIB = 2 ** 20;

/** A size in the syntax of settings, which distinguishes it from other limits. */
function sizeText(bytes: number): string {
  if (bytes >= MIB) return `${Math.floor(bytes / MIB)} MiB`;
  return bytes >= 1024 ? `${Math.floor(bytes / 1024)} KiB` : `${bytes} bytes`;
}

export const memoryErrors = {
  request_memory_exceeded: row<{ limit: number }>({
    kind: 'Query',
    text: ({ limit }) => `The request needs more than the ${sizeText(limit)} of memory allowed (--max-request-memory)`,
    http: 413,
  }),
  session_memory_exceeded: row<{ limit: number }>({
    kind: 'Query',
    text: ({ limit }) =>
      `The session needs more than the ${sizeText(limit)} of memory allowed for its variables and requests (--max-session-memory)`,
    http: 413,
  }),
  /** The limit before sign-in is lower. */
  connection_memory_exceeded: row<{ limit: number; setting: string }>({
    kind: 'Query',
    text: ({ limit, setting }) =>
      `The connection needs more than the ${sizeText(limit)} of memory allowed for its sessions and messages (${setting})`,
    http: 413,
  }),
  user_memory_exceeded: row<{ limit: number }>({
    kind: 'Query',
    text: ({ limit }) =>
      `The connections of the user need more than the ${sizeText(limit)} of memory allowed for them (--max-user-memory)`,
    http: 413,
  }),
  /** No idle session of another user could be ended that holds more. */
  variables_full: row<{ limit: number }>({
    kind: 'Connection',
    text: ({ limit }) =>
      `The variables of all sessions need more than the ${sizeText(limit)} of memory allowed for them (a quarter of --max-memory); try again later`,
    rpc: -32001,
    http: 503,
    retryable: true,
  }),
  server_memory_exceeded: row<{ limit: number }>({
    kind: 'Connection',
    text: ({ limit }) =>
      `All requests together need more than the ${sizeText(limit)} of memory allowed (--max-memory); try again later`,
    rpc: -32001,
    http: 503,
    retryable: true,
  }),
  /** The process ran low on memory, and this request held the most. */
  heap_exhausted: row({
    kind: 'Connection',
    text: () => 'The request was ended since the server has hardly any memory left, and it held the most',
    rpc: -32001,
    http: 503,
    retryable: true,
  }),
  answer_too_large: row<{ limit: number }>({
    kind: 'Validation',
    text: ({ limit }) => `The answer has more than the ${limit} bytes allowed (--max-answer); ask for fewer records`,
    http: 413,
  }),
} as const;
