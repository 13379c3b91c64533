/** Settings that `tessera dev` alone has; other servers accept them in a file, so that both can have the same. */
import { optionalSetting, readText } from '../setting.js';

export const DEV_SETTINGS = {
  types: optionalSetting(
    { flag: '--types <file>', description: 'The file for the TypeScript types of the database, kept up to date' },
    readText,
  ),
} as const;
