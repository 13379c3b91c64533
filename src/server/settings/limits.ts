/** Settings of limits: on what clients send over HTTP and WebSockets, and on texts of statements. */
import { DEFAULT_HTTP_LIMITS, type HttpLimits, LIMIT_SETTINGS } from '../../http/base/options.js';
import { DEFAULT_PARSER_LIMITS as QUERY_DEFAULTS, QUERY_LIMITS, type QueryLimits } from '../../language/parse.js';
import { MAX_ENCODED } from '../../value/limits.js';
import {
  readCount,
  readSize,
  readStreamedSize,
  readWithin,
  type Setting,
  settingWithDefault,
  sizeText,
} from '../setting.js';

/** The limits of the HTTP room, which defines their flags, since its errors name them. */
export const LIMITS: Readonly<Record<keyof HttpLimits, Setting<number>>> = {
  sqlBody: size('sqlBody', 'The largest body of POST /sql', 'SURREAL_HTTP_MAX_SQL_BODY_SIZE'),
  rpcBody: size('rpcBody', 'The largest body of POST /rpc', 'SURREAL_HTTP_MAX_RPC_BODY_SIZE'),
  graphqlBody: size('graphqlBody', 'The largest body of POST /graphql, and message of its WebSockets'),
  apiBody: size('apiBody', 'The largest body of a request to /api', 'SURREAL_HTTP_MAX_API_BODY_SIZE'),
  credentialsBody: size(
    'credentialsBody',
    'The largest body of POST /signin and /signup',
    'SURREAL_HTTP_MAX_SIGNIN_BODY_SIZE',
  ),
  keyBody: size('keyBody', 'The largest body of a request to /key', 'SURREAL_HTTP_MAX_KEY_BODY_SIZE'),
  importBody: size(
    'importBody',
    'The largest body of POST /import',
    'SURREAL_HTTP_MAX_IMPORT_BODY_SIZE',
    readStreamedSize,
  ),
  fileBody: size('fileBody', 'The largest file that is put under /files', undefined, readStreamedSize),
  guestBody: size('guestBody', 'The largest body of a request without sign-in'),
  guestMessage: size('guestMessage', 'The largest WebSocket message before sign-in'),
  message: size('message', 'The largest WebSocket message', 'SURREAL_WEBSOCKET_MAX_MESSAGE_SIZE'),
  values: count('values', 'How many values a body or a message of more than 8 KiB may consist of'),
  guestValues: count('guestValues', 'The same before sign-in'),
  objectKeys: count('objectKeys', 'How many keys one object in it may have'),
  queuedRequests: count('queuedRequests', 'How many requests of a WebSocket may wait'),
  sendBuffer: size('sendBuffer', 'How much may wait for a WebSocket client to read it'),
  answer: size('answer', 'The largest answer', undefined, readWithin(1024, MAX_ENCODED)),
  connections: count('connections', 'How many WebSockets there may be'),
  connectionsPerAddress: count('connectionsPerAddress', 'How many of them from one address'),
  httpConnectionsPerAddress: count(
    'httpConnectionsPerAddress',
    'How many other connections from one address, unless a header names the clients (--client-ip)',
  ),
  attachedSessions: count('attachedSessions', 'How many sessions a connection may attach, and a user over HTTP'),
  storedSessions: count('storedSessions', 'How many sessions may be attached over HTTP in all'),
  storedSessionMemory: size('storedSessionMemory', 'What they may hold together; a user a quarter of it'),
  liveQueries: count('liveQueries', 'How many live queries a connection may have'),
};

/** The limits of query texts, whose flags are defined with their errors. */
export const QUERY_LIMIT_SETTINGS: Readonly<Record<keyof QueryLimits, Setting<number>>> = {
  tokens: queryLimit('tokens', 'How many tokens a text of statements may have'),
  statements: queryLimit('statements', 'How many statements it may have'),
  code: queryLimit('code', 'How many tokens one of its statements may have, besides arrays and objects of plain data'),
};

function size(limit: keyof HttpLimits, description: string, peer?: string, read = readSize): Setting<number> {
  const row = { flag: `${LIMIT_SETTINGS[limit]} <size>`, description, ...(peer === undefined ? {} : { peer }) };
  return settingWithDefault(row, sizeText(DEFAULT_HTTP_LIMITS[limit]), read);
}

function queryLimit(name: keyof QueryLimits, description: string): Setting<number> {
  const row = { flag: `${QUERY_LIMITS[name].setting} <count>`, description };
  return settingWithDefault(row, String(QUERY_DEFAULTS[name]), readCount);
}

function count(limit: keyof HttpLimits, description: string): Setting<number> {
  return settingWithDefault(
    { flag: `${LIMIT_SETTINGS[limit]} <count>`, description },
    String(DEFAULT_HTTP_LIMITS[limit]),
    readCount,
  );
}
