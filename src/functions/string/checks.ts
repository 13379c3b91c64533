/** `string::is_*`: whether a text has a format. */
import { parseRecordId } from '../../language/parse.js';
import { parseDatetime } from '../../value/time/datetime.js';
import { parseUuid } from '../../value/uuid.js';
import { Table, type Value } from '../../value/value.js';
import { invalidArguments } from '../calls/arguments.js';
import type { FunctionRow } from '../calls/contract.js';
import { define } from '../calls/define.js';
import { any, optional, text } from '../calls/parameters.js';
import { matchesFormat } from '../time/strftime.js';
import { isDomain, isIpv4, isIpv6, parseEmail } from './email.js';
import { parseVersion } from './semver.js';

/** `string::is::…` of 2.x. */
const aliases = (name: string) => ({ aliases: [`string::is::${name}`] });

function check(name: string, what: string, test: (string: string) => boolean): FunctionRow {
  return define(`string::is_${name}`, [text('string')], 'bool', `Whether a text is ${what}.`, test, aliases(name));
}

const matching = (pattern: RegExp) => (string: string) => pattern.test(string);

const LATITUDE = /^[+-]?(?:90(?:\.0+)?|[1-8]?\d(?:\.\d+)?)$/;
const LONGITUDE = /^[+-]?(?:180(?:\.0+)?|(?:1[0-7]|[1-9])?\d(?:\.\d+)?)$/;

export const checkFunctions: readonly FunctionRow[] = [
  check('alpha', 'made of letters', matching(/^\p{Alphabetic}+$/u)),
  check('alphanum', 'made of letters and digits', matching(/^[\p{Alphabetic}\p{N}]+$/u)),
  check('ascii', 'made of ASCII characters', matching(/^[\0-\x7f]+$/)),
  define(
    'string::is_datetime',
    [text('string'), optional(text('format'))],
    'bool',
    'Whether a text is a datetime, in RFC 3339 or in a format of its own (strftime).',
    (string, format) => (format === undefined ? parseDatetime(string) !== undefined : matchesFormat(string, format)),
    aliases('datetime'),
  ),
  check('domain', 'the name of a host', isDomain),
  check('email', 'an e-mail address', (string) => parseEmail(string) !== undefined),
  check('hexadecimal', 'made of hexadecimal digits', matching(/^[0-9a-fA-F]+$/)),
  check('ip', 'an IP address', (string) => isIpv4(string) || isIpv6(string)),
  check('ipv4', 'an IP address of version 4', isIpv4),
  check('ipv6', 'an IP address of version 6', isIpv6),
  check('latitude', 'a latitude in degrees', matching(LATITUDE)),
  check('longitude', 'a longitude in degrees', matching(LONGITUDE)),
  check('numeric', 'made of digits', matching(/^\p{N}+$/u)),
  {
    name: 'string::is_record',
    ...aliases('record'),
    parameters: [text('string'), optional(any('table'))],
    returns: 'bool',
    description: 'Whether a text is a record id, of a certain table if one is given.',
    run: isRecord,
  },
  check('semver', 'a semantic version', (string) => parseVersion(string) !== undefined),
  check('ulid', 'a ULID', matching(/^[0-9A-HJKMNP-TV-Z]{26}$/i)),
  check('url', 'a URL', (string) => URL.canParse(string)),
  check('uuid', 'a UUID', (string) => parseUuid(string) !== undefined),
];

function isRecord(args: readonly Value[]): boolean {
  const [string, table] = args as [string, Value];
  const id = parseRecordId(string);
  if (id === undefined || args.length === 1) return id !== undefined;
  const name = table instanceof Table ? table.name : table;
  if (typeof name === 'string') return id.table === name;
  // Sic: with parentheses of its own.
  throw invalidArguments('string::is_record()', 'Expected an optional string or table type for the second argument');
}
