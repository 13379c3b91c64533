#!/usr/bin/env node
/**
 * The command `tessera`. What Node has compiled once it keeps, where it can (from 22.8 on), so that the next start is
 * sooner.
 */
import * as nodeModule from 'node:module';
import { setFlagsFromString } from 'node:v8';

/**
 * Milliseconds until V8 collects an idle process to the least memory that it can have, which discards the shapes of
 * objects that aren't there just then, and the machine code that relies on them: behind a minute's pause, requests took
 * four times their time. 24 days are the most. V8 reads it behind the first full collection, so it is set before
 * anything else is loaded, for all threads. It isn't free: Node's own modules come with code for other flags, and are
 * compiled again, which takes 20 to 45 ms of a start.
 */
const NO_COLLECTION_AT_REST = '--gc-memory-reducer-start-delay-ms=2147483647';

const { enableCompileCache }: Partial<Pick<typeof nodeModule, 'enableCompileCache'>> = nodeModule;
// Other commands end soon.
if (process.argv[2] === 'start') setFlagsFromString(NO_COLLECTION_AT_REST);
enableCompileCache?.();
await import('./main.js');
