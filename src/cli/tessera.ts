#!/usr/bin/env node
/**
 * The command `tessera`. What Node has compiled once it keeps, where it can (from 22.8 on), so that the next start is
 * sooner.
 */
import * as nodeModule from 'node:module';

const { enableCompileCache }: Partial<Pick<typeof nodeModule, 'enableCompileCache'>> = nodeModule;
enableCompileCache?.();
await import('./main.js');
