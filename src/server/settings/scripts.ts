/** Settings of embedded JavaScript. */
import { DEFAULT_SCRIPT_LIMITS, LEAST_SCRIPT_MEMORY, type ScriptLimits } from '../../runtime/script-runner.js';
import {
  readCount,
  readPositiveTime,
  readSize,
  readWithin,
  type Setting,
  settingWithDefault,
  sizeText,
} from '../setting.js';

const LARGEST_SCRIPT_MEMORY = 2 ** 30;
/** The interpreter's own needs. */
const [LEAST_SCRIPT_STACK, LARGEST_SCRIPT_STACK] = [64 * 2 ** 10, 2 ** 20];

/** The limits of embedded JavaScript. */
export const SCRIPT_LIMITS: Readonly<Record<keyof ScriptLimits, Setting<number>>> = {
  memory: settingWithDefault(
    { flag: '--script-memory <size>', description: 'The memory of an interpreter for JavaScript; at least 16MiB' },
    sizeText(DEFAULT_SCRIPT_LIMITS.memory),
    readWithin(LEAST_SCRIPT_MEMORY, LARGEST_SCRIPT_MEMORY),
  ),
  stack: settingWithDefault(
    {
      flag: '--script-stack <size>',
      peer: 'SURREAL_SCRIPTING_MAX_STACK_SIZE',
      description: 'The stack of one JavaScript function',
    },
    sizeText(DEFAULT_SCRIPT_LIMITS.stack),
    readWithin(LEAST_SCRIPT_STACK, LARGEST_SCRIPT_STACK),
  ),
  time: settingWithDefault(
    { flag: '--script-time <time>', description: 'How long one JavaScript function may run' },
    `${DEFAULT_SCRIPT_LIMITS.time / 1000}s`,
    readPositiveTime,
  ),
  threads: settingWithDefault(
    { flag: '--script-threads <count>', description: 'How many JavaScript functions may run at a time' },
    String(DEFAULT_SCRIPT_LIMITS.threads),
    readCount,
  ),
  queue: settingWithDefault(
    { flag: '--script-queue <count>', description: 'How many JavaScript functions may wait for a thread' },
    String(DEFAULT_SCRIPT_LIMITS.queue),
    readCount,
  ),
  value: settingWithDefault(
    {
      flag: '--script-value <size>',
      description: 'The largest value that goes into JavaScript or comes out of it, as JSON',
    },
    sizeText(DEFAULT_SCRIPT_LIMITS.value),
    readSize,
  ),
};
