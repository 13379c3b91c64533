/** `GET /` in a browser: what this is, whether one is signed in, and where to go. */
import './page.css';
import './welcome.css';
import { SignIn } from './sign-in.js';

// The page is served under any address that leads to the server.
const fill = (selector: string, text: string) => {
  for (const found of document.querySelectorAll(selector)) found.textContent = text;
};
fill('.address', location.origin);
fill('.host', location.host);
fill('.protocol', location.protocol === 'https:' ? 'WSS' : 'WS');

new SignIn(document.querySelector<HTMLElement>('#sign-in') as HTMLElement, () => {});
