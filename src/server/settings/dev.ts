/** Settings that `tessera dev` alone has; other servers accept them in a file, so that both can have the same. */
import { optionalSetting, readText } from '../setting.js';

export const DEV_SETTINGS = {
  types: optionalSetting(
    { flag: '--types <file>', description: 'The file for the TypeScript types of the database, kept up to date' },
    readText,
  ),
  typesAccess: optionalSetting(
    {
      flag: '--types-access <name>',
      description: 'The access method whose users the types are for: what they may see and write',
    },
    readText,
  ),
  queries: optionalSetting(
    {
      flag: '--queries <files>',
      description: 'The files whose statements are checked against the database, with types of their own: src/**',
    },
    readText,
  ),
} as const;
