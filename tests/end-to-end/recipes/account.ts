/** What the recipes about an account with a mail address and a password share. */
import type { Page } from 'playwright-core';
import { it } from 'vitest';
import { isInTurn } from '../../support/runs-all.js';
import { PLACE } from './recipe.js';

/** With other long tests. */
export const inTurn = it.skipIf(!isInTurn(2));

export const PASSWORD = 'correct horse battery';

/** What signs an account in, or up. */
export const account = (email: string, password = PASSWORD) => ({
  ...PLACE,
  access: 'account',
  variables: { email, password },
});

/** What the page says at last. */
export const status = (page: Page) => page.getByRole('status').innerText();
