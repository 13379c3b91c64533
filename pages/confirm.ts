/**
 * `GET /auth/:ns/:db/:ac/confirm#LINK.CODE`: the page to which mailed links lead. What is behind `#` never leaves the
 * browser until the button is pressed.
 */
import './page.css';
import './confirm.css';

const find = <E extends HTMLElement>(selector: string): E => document.querySelector<E>(selector) as E;

const isExpired = find('main').dataset['state'] === 'expired';
const [link = '', code] = location.hash.slice(1).split('.');
// Neither the history nor a shared screen keeps it.
history.replaceState(null, '', location.pathname);

if (isExpired || link === '') find('#expired').hidden = false;
else {
  find<HTMLInputElement>('#go-on input').value = link;
  find('#go-on').hidden = false;
  if (code !== undefined) {
    find('#code output').textContent = code;
    find('#code').hidden = false;
  }
}
