/** Spans sent by OTLP over HTTP: only this module has the libraries of OpenTelemetry, and is loaded on demand. */
import {
  type Context,
  DiagLogLevel,
  diag,
  type Tracer as LibraryTracer,
  type Span as OpenSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { VERSION } from '../base/package-version.js';
import type { Environment } from '../env/environment.js';
import { realEnvironment } from '../env/real.js';
import type { Log } from '../http/base/log.js';
import type { Attributes, Span, Tracer } from '../tracing/tracer.js';

const EXPORTERS = { 'http/json': JsonExporter, 'http/protobuf': ProtobufExporter } as const;
export type Protocol = keyof typeof EXPORTERS;

export interface Tracing {
  readonly tracer: Tracer;
  /** Exports the remaining spans, and shuts the exporter down. */
  close(): Promise<void>;
}

const OF_LIBRARY = { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true } as const;

/** Spans are sent in batches; more than `OTEL_BSP_MAX_QUEUE_SIZE` that wait are dropped. */
export function openOtlp(protocol: Protocol, log: Log): Tracing {
  const warn = (...texts: readonly unknown[]) =>
    log.warn({ telemetry: texts.map(String).join(': ').slice(0, 512) }, 'OpenTelemetry');
  diag.setLogger({ error: warn, warn, info: () => {}, debug: () => {}, verbose: () => {} }, OF_LIBRARY);
  const service = resourceFromAttributes({ 'service.name': 'tessera', 'service.version': VERSION });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(service)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new WatchedExporter(new EXPORTERS[protocol](), log))],
  });
  // Spans that can't be sent mustn't keep the server from ending.
  const close = () => provider.shutdown().catch((error: Error) => warn(error.message));
  return { tracer: new OpenTracer(provider.getTracer('tessera', VERSION)), close };
}

/** Milliseconds without an answer of the collector until it is reported. */
const PATIENCE = 2_000;
/** Milliseconds until a collector that stays away is reported again. */
const AGAIN = 60_000;

/**
 * Reports a collector that doesn't take spans. The library tries again for ten seconds before it says anything, and the
 * server may end before that.
 */
class WatchedExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Log;
  readonly #environment: Pick<Environment, 'clock' | 'timers'>;
  #reported: number | undefined;

  constructor(exporter: SpanExporter, log: Log, environment: Pick<Environment, 'clock' | 'timers'> = realEnvironment) {
    this.#exporter = exporter;
    this.#log = log;
    this.#environment = environment;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    const lost = (reason: string) => this.#away(reason, spans.length);
    const inTime = this.#environment.timers.after(PATIENCE, () => lost('there is no answer'));
    this.#exporter.export(spans, (result) => {
      inTime();
      // 0: it has taken them.
      if (result.code === 0) this.#back();
      else lost(result.error?.message ?? 'the export failed');
      done(result);
    });
  }

  #away(reason: string, spans: number): void {
    const now = this.#environment.clock.monotonic();
    if (this.#reported !== undefined && now - this.#reported < AGAIN) return;
    this.#reported = now;
    this.#log.warn({ reason: reason.slice(0, 512), spans }, 'The collector of traces takes no spans');
  }

  #back(): void {
    if (this.#reported !== undefined) this.#log.warn({}, 'The collector of traces takes spans again');
    this.#reported = undefined;
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }
}

class OpenTracer implements Tracer {
  readonly #tracer: LibraryTracer;

  constructor(tracer: LibraryTracer) {
    this.#tracer = tracer;
  }

  begin(name: string, parent: Parameters<Tracer['begin']>[1], attributes: Attributes): Span {
    const around = parent && {
      traceId: parent.traceId,
      spanId: parent.spanId,
      traceFlags: parent.flags,
      isRemote: true,
    };
    const context = around === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, around);
    return new RunningSpan(
      this.#tracer,
      this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes: { ...attributes } }, context),
    );
  }
}

class UnrecordedSpan implements Span {
  readonly traceId: string;

  constructor(traceId: string) {
    this.traceId = traceId;
  }

  begin(): Span {
    return this;
  }

  end(): void {}
}

class RunningSpan implements Span {
  readonly #tracer: LibraryTracer;
  readonly #span: OpenSpan;
  #context: Context | undefined;

  constructor(tracer: LibraryTracer, span: OpenSpan) {
    this.#tracer = tracer;
    this.#span = span;
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  begin(name: string, describe?: () => Attributes): Span {
    // One that isn't recorded, or has ended, has no recorded parts.
    if (!this.#span.isRecording()) return new UnrecordedSpan(this.traceId);
    this.#context ??= trace.setSpan(ROOT_CONTEXT, this.#span);
    const attributes = { ...describe?.() };
    return new RunningSpan(
      this.#tracer,
      this.#tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes }, this.#context),
    );
  }

  end(failure?: string, attributes?: Attributes): void {
    if (attributes !== undefined) this.#span.setAttributes({ ...attributes });
    if (failure !== undefined) {
      this.#span.setAttribute('error.type', failure);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}
