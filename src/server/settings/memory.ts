/** Settings of memory limits. */
import { realEnvironment } from '../../env/real.js';
import {
  DEFAULT_GUEST_MEMORY,
  DEFAULT_MEMORY_SHARES,
  type MemoryLimits,
} from '../../session/resources/server-memory.js';
import { readShareOrSize, type Setting, settingWithDefault, sizeText } from '../setting.js';

/** A size, or a share of Node's heap limit. */
const read = readShareOrSize(realEnvironment.heap.limit);

export const MEMORY_LIMITS: Readonly<Record<keyof MemoryLimits, Setting<number>>> = {
  total: settingWithDefault(
    {
      flag: '--max-memory <size>',
      description: 'What all connections and requests may hold together: a size, or a share of Node’s heap',
    },
    `${DEFAULT_MEMORY_SHARES.total}%`,
    read,
  ),
  connection: settingWithDefault(
    { flag: '--max-connection-memory <size>', description: 'What the sessions and messages of a connection may hold' },
    `${DEFAULT_MEMORY_SHARES.connection}%`,
    read,
  ),
  user: settingWithDefault(
    { flag: '--max-user-memory <size>', description: 'The same for all connections of a record user together' },
    `${DEFAULT_MEMORY_SHARES.user}%`,
    read,
  ),
  guest: settingWithDefault(
    { flag: '--max-guest-memory <size>', description: 'What a connection may hold before sign-in' },
    sizeText(DEFAULT_GUEST_MEMORY),
    read,
  ),
  session: settingWithDefault(
    { flag: '--max-session-memory <size>', description: 'What the variables and requests of a session may hold' },
    `${DEFAULT_MEMORY_SHARES.session}%`,
    read,
  ),
  request: settingWithDefault(
    { flag: '--max-request-memory <size>', description: 'What one request may hold while it runs' },
    `${DEFAULT_MEMORY_SHARES.request}%`,
    read,
  ),
  files: settingWithDefault(
    { flag: '--max-bucket-memory <size>', description: 'What the files of buckets with BACKEND "memory" may take' },
    `${DEFAULT_MEMORY_SHARES.files}%`,
    read,
  ),
  vectors: settingWithDefault(
    {
      flag: '--max-vector-memory <size>',
      description: 'What searches for nearest neighbours may keep of vectors between requests',
    },
    `${DEFAULT_MEMORY_SHARES.vectors}%`,
    read,
  ),
};
