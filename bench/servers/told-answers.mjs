// What bare servers answer: they get the answers before the requests.

const results = new Map();
process.on('message', (message) => {
  if (message?.text === undefined) return;
  results.set(message.text, message.result);
  process.send('told');
});

/** In the form in which Tessera answers. */
export const answerTo = (text) => [{ result: results.get(text), status: 'OK', time: '12.345µs' }];
