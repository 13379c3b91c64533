/** The pages of `/auth`, which the server writes: what in them needs a script. */
import './page.css';
import './auth.css';
import { showLink } from './confirm.js';
import { offerPasskeys } from './passkeys.js';
import { offerTryOut } from './try-out.js';

const tryOut = document.querySelector<HTMLElement>('#try-out');
if (document.querySelector('#confirm') !== null) showLink();
else if (tryOut !== null) offerTryOut(tryOut);
else offerPasskeys();
