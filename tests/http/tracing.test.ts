/** Spans as a collector of OpenTelemetry receives them. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Log, SILENT } from '../../src/http/base/log.js';
import { openTracing } from '../../src/server/tracing.js';
import { newClient } from '../support/official-client.js';
import { ROOT, startTestServer } from '../support/server.js';
import { temporaryFolder } from '../support/server-process.js';

interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code?: number };
}

/** Takes what OTLP sends. */
class Collector {
  readonly bodies: { readonly type: string | undefined; readonly bytes: Buffer }[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<Collector> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.url === '/v1/traces')
          collector.bodies.push({ type: request.headers['content-type'], bytes: Buffer.concat(chunks) });
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    const collector = new Collector(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Those that came as JSON. */
  spans(): ReceivedSpan[] {
    return this.bodies.flatMap(({ bytes }) => {
      const { resourceSpans } = JSON.parse(bytes.toString('utf8')) as {
        resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[];
      };
      return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const attribute = ({ attributes }: ReceivedSpan, name: string) =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const AUTHORIZATION = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
const HEADERS = {
  accept: 'application/json',
  authorization: AUTHORIZATION,
  'surreal-ns': 'test',
  'surreal-db': 'shop',
};

afterEach(() => vi.unstubAllEnvs());

/** Opens tracing by the variables of the environment, which the library reads itself. */
function open(variables: Readonly<Record<string, string>>, log: Log = SILENT) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  return openTracing(process.env, log);
}

/** A log at level warn, and what is written to it. */
function collectingLog(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const write = (details: object, text: string) =>
    void lines.push(text === 'OpenTelemetry' ? JSON.stringify(details) : text);
  return { log: { ...SILENT, warn: write, error: write }, lines };
}

describe('A server that traces', () => {
  test('sends a span for each request, statement and wait, as parts of what traceparent names', async () => {
    const collector = await Collector.open();
    const tracing = await open({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
    });
    const server = await startTestServer({ SVC_PATH: `lmdb:${temporaryFolder()}` }, { tracing });
    try {
      const headers = { ...HEADERS, 'x-request-id': 'request-7', traceparent: `00-${TRACE}-${PARENT}-01` };
      const body =
        "CREATE person:1 SET name = 'Ann'; SELECT * FROM person WHERE name = 'Ann'; THROW 'no'; BEGIN; DELETE person:1; COMMIT";
      await (await fetch(`${server.url}/sql`, { method: 'POST', body, headers })).text();
    } finally {
      await server.close();
    }
    const spans = collector.spans();
    collector.close();
    const request = spans.find(({ name }) => name === 'POST sql') as ReceivedSpan;
    expect(request).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
    expect(attribute(request, 'tessera.request.id')).toBe('request-7');
    expect(Number(attribute(request, 'http.response.status_code'))).toBe(200);
    const ofRequest = spans.filter(({ traceId }) => traceId === TRACE);
    const statements = ofRequest.filter(
      ({ parentSpanId, name }) => parentSpanId === request.spanId && !/wait/.test(name),
    );
    expect(statements.map(({ name }) => name)).toEqual(['create', 'select', 'throw', 'delete']);
    const [created, selected, thrown] = statements as [ReceivedSpan, ReceivedSpan, ReceivedSpan];
    expect(attribute(selected, 'db.query.text')).toBe("SELECT * FROM person WHERE name = '…'");
    expect(attribute(thrown, 'error.type')).toBe('thrown');
    expect(thrown.status.code).toBe(2);
    expect(created.status.code ?? 0).toBe(0);
    // COMMIT waits for the disk.
    expect(ofRequest.some(({ name, parentSpanId }) => name === 'store wait' && parentSpanId === request.spanId)).toBe(
      true,
    );
    expect(JSON.stringify(collector.spans())).not.toContain('Ann');
    expect(collector.bodies[0]?.bytes.toString()).toContain('deployment.environment');
  });

  test('sends spans of the requests of a WebSocket', async () => {
    const collector = await Collector.open();
    const tracing = await open({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    const server = await startTestServer({}, { tracing });
    try {
      const client = newClient();
      await client.connect(`${server.url.replace('http', 'ws')}/rpc`);
      await client.signin(ROOT);
      await client.use({ namespace: 'test', database: 'test' });
      await client.query('RETURN 1; BEGIN; CREATE a; COMMIT');
      await client.close();
    } finally {
      await server.close();
    }
    const spans = collector.spans();
    collector.close();
    const query = spans.find(({ name }) => name === 'websocket query') as ReceivedSpan;
    const parts = spans.filter(({ parentSpanId }) => parentSpanId === query.spanId).map(({ name }) => name);
    expect(parts.filter((name) => name !== 'store wait')).toEqual(['return', 'create']);
    expect(JSON.stringify(spans)).not.toContain(ROOT.password);
  });

  test('speaks Protocol Buffers unless another protocol is named, and follows the sampler', async () => {
    const collector = await Collector.open();
    const tracing = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const sampled = tracing?.tracer.begin('one', undefined, {});
    sampled?.end();
    await tracing?.close();
    expect(collector.bodies.map(({ type }) => type)).toEqual(['application/x-protobuf']);
    expect(collector.bodies[0]?.bytes.includes('one')).toBe(true);
    const none = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: 'always_off' });
    none?.tracer.begin('two', undefined, {}).end();
    await none?.close();
    expect(collector.bodies).toHaveLength(1);
    collector.close();
  });

  test('ends the span of a write over a WebSocket with its answer, which waits for the disk, and only once', async () => {
    const collector = await Collector.open();
    const { log, lines } = collectingLog();
    const tracing = await open(
      { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      log,
    );
    const server = await startTestServer({ SVC_PATH: `lmdb:${temporaryFolder()}` }, { tracing });
    try {
      const client = newClient();
      await client.connect(`${server.url.replace('http', 'ws')}/rpc`);
      await client.signin(ROOT);
      await client.use({ namespace: 'test', database: 'test' });
      await client.query('CREATE a:1');
      await Promise.allSettled(['CREATE a:2', 'CREATE a:3', 'THROW 1'].map((text) => client.query(text)));
      // A request that fails waits for what was accepted before it, too.
      await Promise.allSettled([client.query('CREATE a:4'), client.query('CREATE')]);
      await client.close();
    } finally {
      await server.close();
    }
    const spans = collector.spans();
    collector.close();
    expect(lines).toEqual([]);
    const writes = spans.filter(({ name, spanId }) => {
      return name === 'websocket query' && spans.some((part) => part.parentSpanId === spanId && part.name === 'create');
    });
    expect(writes).toHaveLength(4);
    for (const write of writes) {
      const waits = spans.filter(({ name, parentSpanId }) => name === 'store wait' && parentSpanId === write.spanId);
      expect(waits.length).toBeGreaterThan(0);
      // They are sent in the order in which they ended.
      for (const wait of waits) expect(spans.indexOf(wait)).toBeLessThan(spans.indexOf(write));
    }
  });

  test('goes on without a collector, and says so', async () => {
    const { log, lines } = collectingLog();
    const tracing = await open(
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_TIMEOUT: '500' },
      log,
    );
    const server = await startTestServer({}, { tracing });
    const answer = await fetch(`${server.url}/sql`, { method: 'POST', body: 'RETURN 1', headers: HEADERS });
    expect(await answer.json()).toMatchObject([{ result: 1 }]);
    await server.close();
    expect(lines.filter((line) => line === 'The collector of traces takes no spans')).toHaveLength(1);
  });

  test('says within two seconds that a collector doesn’t answer, and that it does again', async () => {
    let isAway = true;
    const collector = createServer((_, response) => {
      if (!isAway) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const { log, lines } = collectingLog();
    const { port } = collector.address() as AddressInfo;
    const tracing = await open(
      { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_BSP_SCHEDULE_DELAY: '50' },
      log,
    );
    tracing?.tracer.begin('one', undefined, {}).end();
    await expect.poll(() => lines, { timeout: 8_000 }).toEqual(['The collector of traces takes no spans']);
    isAway = false;
    collector.closeAllConnections();
    tracing?.tracer.begin('two', undefined, {}).end();
    await expect.poll(() => lines, { timeout: 20_000 }).toContain('The collector of traces takes spans again');
    await tracing?.close();
    collector.close();
  });
});

describe('The variables of OpenTelemetry', () => {
  test.each([
    [{}],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }],
    [{ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }],
    [{ OTEL_SERVICE_NAME: 'shop' }],
  ])('%j switch nothing on', async (variables) => {
    expect(await openTracing(variables, SILENT)).toBeUndefined();
  });

  test.each([
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER: "zipkin" is neither otlp nor none'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" is none of http/protobuf, http/json',
    ],
  ])('%j stop the start', async (variables, message) => {
    await expect(openTracing(variables, SILENT)).rejects.toThrow(message);
  });
});
