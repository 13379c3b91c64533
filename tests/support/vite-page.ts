/** The page of an app, served by Vite while it is developed, as `npx vite` does in its folder. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { createServer } from 'vite';
import type { TestContext } from 'vitest';
import { startBrowser } from '../studio/browser.js';

export interface VitePage {
  /** Opens the page in a browser of its own, in which no one is signed in. Skips the test where there is none. */
  open(test: TestContext, options?: BrowserContextOptions): Promise<Page>;
  /** Errors and warnings of the consoles, those of failed requests aside. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** `packages`: what a reader installs into the folder; `server`: where the database is, which pages read from Vite. */
export async function startVitePage(folder: string, packages: readonly string[], server: string): Promise<VitePage> {
  for (const name of packages) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(name === 'tesseradb' ? resolve('.') : resolve('node_modules', name), link, 'dir');
  }
  const vite = await createServer({
    root: folder,
    logLevel: 'error',
    define: { 'import.meta.env.VITE_SERVER': JSON.stringify(server) },
    // The packages are those of this repository.
    server: { host: '127.0.0.1', port: 0, fs: { strict: false } },
    cacheDir: join(folder, 'node_modules', '.vite'),
  });
  await vite.listen();
  const [url = ''] = vite.resolvedUrls?.local ?? [];
  const complaints: string[] = [];
  const closing: (() => Promise<void>)[] = [];
  return {
    complaints,
    async open({ skip }, options) {
      const context = await (await startBrowser())?.newContext(options);
      if (context === undefined) return skip('There is no Chromium on this machine');
      closing.push(() => context.close());
      const page = await context.newPage();
      page.setDefaultTimeout(15_000);
      page.on('console', (message) => {
        const isOfRequest = /Failed to load resource|WebSocket connection to/.test(message.text());
        if (['error', 'warning'].includes(message.type()) && !isOfRequest) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(url);
      return page;
    },
    async close() {
      for (const close of closing) await close();
      await vite.close();
    },
  };
}
