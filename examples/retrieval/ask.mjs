// Finds what is best to be shown to a language model with a question. `--help` tells the options.
import { readOptions } from '../../scripts/options.mjs';
import { asMember, giveUp, SERVER_OPTIONS } from './client.mjs';
import { embed } from './embed.mjs';

const HELP = `Prints the chunks that a member of a team should give to a language model with a question, the best first.

  node examples/retrieval/ask.mjs QUESTION [options]

  --endpoint URL     the server (http://127.0.0.1:8000)
  --member NAME      ada or bob (ada)
  --pass TEXT        their password
  --most N           how many chunks (5)
  --text             prints them whole, rather than where they stand
  -h, --help         prints this`;
const { values: options, positionals } = readOptions(HELP, {
  allowPositionals: true,
  options: {
    ...SERVER_OPTIONS,
    member: { type: 'string', default: 'ada' },
    pass: { type: 'string', default: 'a long password' },
    most: { type: 'string', default: '5' },
    text: { type: 'boolean', default: false },
  },
});
const [question] = positionals;
if (question === undefined) giveUp('A question is needed\n(--help lists the options)');

const run = await asMember(options.endpoint, options);
const chunks = await run('fn::retrieve($question, <array<float>> $vector, <int> $most)', {
  question,
  vector: embed(question),
  most: Number(options.most),
});
for (const { page, heading, text, score } of chunks) {
  console.log(options.text ? `${text}\n` : `${score.toFixed(4)}  ${page}: ${heading}`);
}
