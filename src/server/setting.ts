/** Settings and their types of values. */
import { BlockList, isIP } from 'node:net';
import { type Rate, rateOf } from '../catalog/limits/request-rates.js';
import { type NetworkTarget, readTarget } from '../functions/network/targets.js';

/** An invalid setting, which prevents the start. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** A row of the settings table: `--help`, environment variables and documentation are derived from it. */
export interface Setting<T> {
  /** The flag: `-b, --bind <address>`. */
  readonly flag: string;
  /** The equivalent variable of the reference server, read if ours isn't set. */
  readonly peer?: string;
  readonly description: string;
  /** The default as text, for `--help`. */
  readonly fallback?: string;
  /**
   * Parses the value.
   * @throws Error describing the problem
   */
  read(text: string | undefined): T;
}

/** A setting's name on the command line: `--bind`, `path`. */
export function optionName({ flag }: Pick<Setting<unknown>, 'flag'>): string {
  return /--[a-z-]+/.exec(flag)?.[0] ?? flag.replace(/[[\]]/g, '');
}

/** Our environment variable for a flag: `SVC_MAX_SQL_BODY` for `--max-sql-body <size>`, `SVC_PATH` for `[path]`. */
export function variableName(setting: Pick<Setting<unknown>, 'flag'>): string {
  return `SVC_${optionName(setting).replace(/^--/, '').replaceAll('-', '_').toUpperCase()}`;
}

export type SettingRow = Omit<Setting<unknown>, 'read' | 'fallback'>;

/** An optional setting. */
export function optionalSetting<T>(row: SettingRow, read: (text: string) => T): Setting<T | undefined> {
  return { ...row, read: (text) => (text === undefined ? undefined : read(text)) };
}

/** A setting with a default, given as text. */
export function settingWithDefault<T>(row: SettingRow, fallback: string, read: (text: string) => T): Setting<T> {
  return { ...row, fallback, read: (text = fallback) => read(text) };
}

/** A flag without a value; `true` or `false` in the environment. */
export function toggle(row: SettingRow): Setting<boolean> {
  return { ...row, read: (text = 'false') => readBoolean(text) };
}

/** Readers of settings take a text and throw an `Error` with a message for the operator. This one takes any text. */
export function readText(text: string): string {
  return text;
}

/** `true`, `false`, `1` or `0`. @throws Error */
export function readBoolean(text: string): boolean {
  const value = { true: true, '1': true, false: false, '0': false }[text.toLowerCase()];
  if (value === undefined) throw new Error(`"${text}" is neither true nor false`);
  return value;
}

/** One of the given words. @throws Error */
export function readChoice<const C extends string>(choices: readonly C[]): (text: string) => C {
  return (text) => {
    const choice = choices.find((known) => known === text);
    if (choice === undefined) throw new Error(`"${text}" is none of ${choices.join(', ')}`);
    return choice;
  };
}

/** Comma-separated strings. */
export function readList(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** A whole number from 1 to 999,999,999. @throws Error */
export function readCount(text: string): number {
  if (!/^\d{1,9}$/.test(text) || text === '0') throw new Error(`"${text}" is not a whole number above 0`);
  return Number(text);
}

const SIZE_UNITS: Readonly<Record<string, number>> = { '': 1, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
/** Buffers and frames are limited to 32-bit sizes. */
const LARGEST_SIZE = 2 ** 31 - 1;

/** Bytes: `1048576`, `64KiB`, `16MiB`. @throws Error for any other text */
export function readSize(text: string): number {
  const bytes = readStreamedSize(text);
  if (bytes > LARGEST_SIZE) throw new Error(`"${text}" is not between 1 byte and 2 GiB`);
  return bytes;
}

/** A size in bytes of what is streamed, up to 2^53: `4GiB`, `2000GiB`. @throws Error for any other text */
export function readStreamedSize(text: string): number {
  const [, digits, unit = ''] = /^(\d{1,12})([KMG]iB|B)?$/.exec(text) ?? [];
  const factor = SIZE_UNITS[unit];
  if (digits === undefined || factor === undefined)
    throw new Error(`"${text}" is not a size such as 65536, 64KiB or 16MiB`);
  const bytes = Number(digits) * factor;
  if (bytes < 1 || !Number.isSafeInteger(bytes)) throw new Error(`"${text}" is not a size that can be counted`);
  return bytes;
}

/** A size, or a percentage of `whole`: `40%`. @throws Error for any other text, when it is called */
export function readShareOrSize(whole: number): (text: string) => number {
  return (text) => {
    const [, digits] = /^(\d{1,3})%$/.exec(text) ?? [];
    if (digits === undefined) return readStreamedSize(text);
    const percent = Number(digits);
    if (percent < 1 || percent > 100) throw new Error(`"${text}" is not between 1% and 100%`);
    return Math.floor((whole * percent) / 100);
  };
}

const TIME_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 60e3, h: 3600e3, d: 86400e3 };
/** The limit of Node's timers. */
const LONGEST_TIME = 2 ** 31 - 1;

/** Milliseconds: `500ms`, `30s`, `5m`; `none` is 0. @throws Error for any other text */
export function readTime(text: string): number {
  if (text === 'none') return 0;
  const [, digits, unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const factor = TIME_UNITS[unit];
  if (digits === undefined || factor === undefined)
    throw new Error(`"${text}" is not a time such as 500ms, 30s, 5m or none`);
  const milliseconds = Number(digits) * factor;
  if (milliseconds > LONGEST_TIME) throw new Error(`"${text}" is longer than 24 days`);
  return milliseconds;
}

/** As `readTime`, but for 0. @throws Error */
export function readPositiveTime(text: string): number {
  const milliseconds = readTime(text);
  if (milliseconds === 0) throw new Error('it must be more than nothing');
  return milliseconds;
}

/** So many in a time, all at once or evenly: `30/1h`; `none` is undefined. @throws Error for any other text */
export function readRate(text: string): Rate | undefined {
  if (text === 'none') return undefined;
  const [count = '', time = '', ...rest] = text.split('/');
  if (!/^\d+$/.test(count) || !/^\d+\w+$/.test(time) || rest.length > 0)
    throw new Error(`"${text}" is not a rate such as 30/1h, 20/1m or none`);
  const rate = rateOf(readCount(count), BigInt(readPositiveTime(time)) * 1_000_000n);
  if (rate.per === 0n) throw new Error(`"${text}" is more than one in a nanosecond`);
  return rate;
}

/** Bytes in the syntax of `readSize`, for defaults. */
export function sizeText(bytes: number): string {
  return bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20}MiB` : `${bytes / 2 ** 10}KiB`;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:8000`, `[::1]:8000`, `localhost:8000`; port 0 selects a free one. @throws Error for any other text */
export function readAddress(text: string): Address {
  const [, v6, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = v6 ?? plain;
  const port = Number(digits);
  if (host === undefined || port > 65535 || (v6 !== undefined && isIP(v6) !== 6)) {
    throw new Error(`"${text}" is not an address such as 127.0.0.1:8000 or [::1]:8000`);
  }
  return { host, port };
}

/** Comma-separated addresses and networks: `10.0.0.0/8,192.0.2.7`. @throws Error for any other text */
export function readNetworks(text: string): BlockList {
  const networks = new BlockList();
  for (const item of readList(text)) {
    const [address = '', bits] = item.split('/');
    const family = isIP(address);
    const most = family === 6 ? 128 : 32;
    const prefix = bits === undefined ? most : Number(bits);
    if (family === 0 || !/^\d{0,3}$/.test(bits ?? '') || bits === '' || prefix > most) {
      throw new Error(`"${item}" is not an address or network such as 192.0.2.7 or 10.0.0.0/8`);
    }
    networks.addSubnet(address, prefix, family === 6 ? 'ipv6' : 'ipv4');
  }
  return networks;
}

/** `all`, or comma-separated strings; a flag without a value means all. */
export function readAllOr<T>(read: (text: string) => T): (text: string) => 'all' | readonly T[] {
  return (text) => {
    if (['all', '*', 'true'].includes(text)) return 'all';
    return ['none', 'false'].includes(text) ? [] : readList(text).map(read);
  };
}

/** A host, address or network in a network rule. @throws Error for any other text */
export function readNetworkTarget(text: string): NetworkTarget {
  const target = readTarget(text);
  if (target === undefined)
    throw new Error(`"${text}" is not a host, an address or a network such as example.com:443 or 192.0.2.0/24`);
  return target;
}

/** The name of a function or function family. @throws Error for any other text */
export function readFunctionName(text: string): string {
  const name = text.replace(/::\*?$/, '');
  if (!/^\w+(::\w+)*$/.test(name))
    throw new Error(`"${text}" is not a function such as http::get, or a family such as http`);
  return name;
}

/** Reads a size between two bounds, in bytes. */
export function readWithin(least: number, most: number): (text: string) => number {
  return (text) => {
    const bytes = readSize(text);
    if (bytes < least || bytes > most)
      throw new Error(`"${text}" is not between ${sizeText(least)} and ${sizeText(most)}`);
    return bytes;
  };
}
