/** The pages of `/auth`, which the server writes: what needs a script, mailed links and passkeys. */
import './page.css';
import './auth.css';
import { showLink } from './confirm.js';
import { offerPasskeys } from './passkeys.js';

if (document.querySelector('#confirm') === null) offerPasskeys();
else showLink();
