/** Sends a file to a bucket over HTTP: unlike a statement, it streams, and says how far it is. */

export interface Upload {
  /** `/files/shop/music/covers/a/b.png` */
  readonly address: string;
  readonly content: File;
  /** None of a guest. */
  readonly token?: string;
  /** Whether a file that is there already is replaced. */
  readonly replaces: boolean;
  /** Ends it. */
  readonly signal: AbortSignal;
  onProgress(sentBytes: number): void;
}

export function fileAddress(namespace: string, database: string, bucket: string, key: string): string {
  const parts = [namespace, database, bucket, ...key.split('/').filter((part) => part !== '')];
  return `/files/${parts.map(encodeURIComponent).join('/')}`;
}

/** @throws Error with what the server says against it, or if it was ended */
export function send({ address, content, token, replaces, signal, onProgress }: Upload): Promise<void> {
  return new Promise((resolve, reject) => {
    // `fetch` doesn't say how much it has sent.
    const request = new XMLHttpRequest();
    request.open('PUT', address);
    if (token !== undefined) request.setRequestHeader('authorization', `Bearer ${token}`);
    request.setRequestHeader('accept', 'application/json');
    if (!replaces) request.setRequestHeader('if-none-match', '*');
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => {
      if (request.status < 300) resolve();
      else reject(new Error(reasonOf(request)));
    };
    request.onerror = () => reject(new Error('The connection was lost, or the server took no more'));
    request.onabort = () => reject(new Error('Cancelled'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(content);
  });
}

function reasonOf({ status, responseText }: XMLHttpRequest): string {
  if (status === 412) return 'There is a file of this name already';
  try {
    const { information } = JSON.parse(responseText) as { readonly information?: string };
    if (information !== undefined) return information;
  } catch {
    // A proxy has answered.
  }
  return `The server answers ${status}`;
}
