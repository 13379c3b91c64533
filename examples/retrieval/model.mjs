// A language model's stand-in: it answers by the sentences of the chunks that share most words with the question. Put
// the call of your model here: the prompt is what it would get, and it answers piece by piece as this one does.

/** What a model is asked, with the chunks that it may use. */
export function promptOf(question, chunks) {
  const sources = chunks.map(({ page, heading, text }, at) => `[${at + 1}] ${page}: ${heading}\n${text}`);
  return `Answer the question by these sources alone, and name them by their numbers.\n\n${sources.join('\n\n')}\n\nQuestion: ${question}`;
}

/** Pieces of an answer to a prompt. */
export async function* answerOf(prompt) {
  const [, sources = '', question = ''] = /^[^\n]*\n\n(.*)\n\nQuestion: (.*)$/s.exec(prompt) ?? [];
  const asked = wordsOf(question);
  const sentences = sources.split(/^(?=\[\d+\] )/m).flatMap((source, at) => {
    const lines = source.split('\n').slice(1);
    const text = lines
      .filter((line) => !/^\s*(#|\||```|<)/.test(line))
      .join(' ')
      .replace(/\s+/g, ' ');
    return (text.match(/\S.*?[.!?](?= |$)/g) ?? []).map((sentence) => ({
      text: `${sentence.trim()} [${at + 1}]`,
      shared: [...wordsOf(sentence)].filter((word) => asked.has(word)).length,
    }));
  });
  const best = sentences.filter(({ shared }) => shared > 0).sort((a, b) => b.shared - a.shared);
  if (best.length === 0) yield 'The texts that you may read don’t say.';
  for (const { text } of best.slice(0, 3)) for (const word of text.split(' ')) yield `${word} `;
}

const wordsOf = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);
