/** The page: a member signs in at the database, and asks; the answer is shown as it comes, with its sources. */
const { endpoint } = document.documentElement.dataset;
const [enter, ask] = document.forms;
const answer = document.querySelector('article');
const sources = document.querySelector('ol');
const complain = (text) => (document.querySelector('[role=alert]').textContent = text);
let token;

enter.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { name, password } = Object.fromEntries(new FormData(enter));
  const signedIn = await fetch(`${endpoint}/signin`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: JSON.stringify({ NS: 'example', DB: 'retrieval', AC: 'member', name, pass: password }),
  }).catch(() => undefined);
  if (!signedIn?.ok) return complain('Name or password are wrong, or the server is away.');
  ({ token } = await signedIn.json());
  enter.hidden = true;
  ask.hidden = false;
  complain('');
  ask.elements.question.focus();
});

ask.addEventListener('submit', async (event) => {
  event.preventDefault();
  const body = ask.elements.question.value;
  answer.textContent = '…';
  answer.hidden = false;
  sources.replaceChildren();
  complain('');
  const answered = await fetch('/answer', { method: 'POST', headers: { authorization: `Bearer ${token}` }, body });
  if (!answered.ok) {
    answer.hidden = true;
    return complain(await answered.text());
  }
  let received = '';
  for await (const piece of answered.body.pipeThrough(new TextDecoderStream())) {
    received += piece;
    const end = received.indexOf('\n');
    if (end === -1) continue;
    if (sources.childElementCount === 0) show(JSON.parse(received.slice(0, end)));
    answer.textContent = received.slice(end + 1);
  }
});

function show(found) {
  for (const { page, heading } of found) {
    const item = document.createElement('li');
    item.textContent = `${page}: ${heading}`;
    sources.append(item);
  }
}
