/** Tracing by OpenTelemetry, switched on by its standard variables. */
import type { Log } from '../http/base/log.js';
import type { Protocol, Tracing } from './otlp.js';
import { ConfigurationError } from './setting.js';

const PROTOCOLS: readonly Protocol[] = ['http/protobuf', 'http/json'];

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Opens what `OTEL_*` asks for; `undefined`, with nothing of the library loaded, if that is nothing. An endpoint or
 * `OTEL_TRACES_EXPORTER=otlp` switches it on. The library reads the other variables itself.
 * @throws ConfigurationError for exporters and protocols other than OTLP over HTTP
 */
export async function openTracing(variables: Variables, log: Log): Promise<Tracing | undefined> {
  if (!isWanted(variables)) return undefined;
  const protocol = protocolOf(variables);
  return (await import('./otlp.js')).openOtlp(protocol, log);
}

function isWanted(variables: Variables): boolean {
  if (variables['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  const exporter = variables['OTEL_TRACES_EXPORTER'] || undefined;
  if (exporter === 'none') return false;
  if (exporter !== undefined && exporter !== 'otlp')
    throw new ConfigurationError(`OTEL_TRACES_EXPORTER: "${exporter}" is neither otlp nor none`);
  const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  return exporter === 'otlp' || endpoints.some((name) => variables[name]);
}

function protocolOf(variables: Variables): Protocol {
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']) {
    const given = variables[name];
    if (given === undefined || given === '') continue;
    const known = PROTOCOLS.find((protocol) => protocol === given);
    if (known === undefined) throw new ConfigurationError(`${name}: "${given}" is none of ${PROTOCOLS.join(', ')}`);
    return known;
  }
  return 'http/protobuf';
}
