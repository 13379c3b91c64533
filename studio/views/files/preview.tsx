/** What a file shows: pictures, recordings, and the beginning of texts. */
import { Text } from '@mantine/core';
import { LoadedContent } from '../../components/loaded-content.js';
import { useLoaded } from '../../connection/use-loaded.js';

interface Properties {
  readonly name: string;
  /** Its media type. */
  readonly type: string;
  /** Where its bytes are, without credentials. */
  readonly address: string;
}

/** Bytes of a text that are shown. */
const MOST = 64 * 1024;
const TEXTS = /^(text\/|application\/(json|xml|yaml|toml|javascript|sql|x-ndjson)\b|[^;]*\+(json|xml)\b)/;

export function Preview({ name, type, address }: Properties) {
  // In an <img>, pictures with scripts run none.
  if (type.startsWith('image/')) return <img className="preview" src={address} alt={name} />;
  if (type.startsWith('video/')) {
    // biome-ignore lint/a11y/useMediaCaption: what users have put has none
    return <video className="preview" src={address} controls aria-label={name} />;
  }
  if (type.startsWith('audio/')) {
    // biome-ignore lint/a11y/useMediaCaption: what users have put has none
    return <audio src={address} controls aria-label={name} />;
  }
  if (TEXTS.test(type)) return <TextPreview name={name} address={address} />;
  return <Text c="dimmed">There is no preview of this type. Download the file to see it.</Text>;
}

function TextPreview({ name, address }: Pick<Properties, 'name' | 'address'>) {
  const text = useLoaded(() => beginningOf(address), [address]);
  return (
    <LoadedContent of={text}>
      {(loaded) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        <section className="preview" aria-label={`Text of ${name}`} tabIndex={0}>
          <pre>{loaded}</pre>
        </section>
      )}
    </LoadedContent>
  );
}

async function beginningOf(address: string): Promise<string> {
  const answer = await fetch(address, { headers: { range: `bytes=0-${MOST - 1}` } });
  // Of nothing there is no part.
  if (answer.status === 416) return '';
  if (!answer.ok) throw new Error(`The server answers ${answer.status}`);
  const isPart = Number(/\/(\d+)$/.exec(answer.headers.get('content-range') ?? '')?.[1] ?? 0) > MOST;
  return (await answer.text()) + (isPart ? '…' : '');
}
