/**
 * OpenTelemetry traces: a span for each request, with a child span for each script that it calls. Loaded only if an
 * endpoint is configured. The libraries read the other OTEL_ variables themselves: headers, sampler, service name.
 * Spans contain no keys, tokens, bodies or queries.
 */
import { setTimeout as after } from 'node:timers/promises';
import { defaultTextMapGetter, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import { BUILD } from '../domain/build.ts';
import { requestObserver } from '../domain/scriptObserver.ts';

/** Time that the collector has to accept the last spans when the instance stops. */
const CLOSE_WITHIN_MS = 2000;

/** The attributes of a request that are known once it has a response. */
export interface Served {
  /** The pattern of the route that matched. */
  readonly route: string;
  readonly status: number;
  readonly tenant: string | undefined;
}

export class Traces {
  readonly #provider: BasicTracerProvider;
  readonly #propagator = new W3CTraceContextPropagator();

  /** @param endpoint the address of an OTLP receiver for HTTP, without /v1/traces */
  constructor(endpoint: string, log: Logger) {
    setGlobalErrorHandler((err) => log.warn({ err }, 'traces could not be exported'));
    const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
    this.#provider = new BasicTracerProvider({
      resource: defaultResource()
        .merge(resourceFromAttributes({ 'service.name': 'holdfast', 'service.version': BUILD.version }))
        .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] })),
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
    });
  }

  /**
   * Serves a request in a span of its own, which is a child of the caller's span if the headers name one.
   * @param requestId of the log lines of this request
   * @param carrier the headers traceparent and tracestate
   * @param serve its argument is the id of the trace; null: the trace is not recorded
   * @returns what it answers
   */
  async traceRequest<Answer>(
    { method, requestId }: { readonly method: string; readonly requestId: string },
    carrier: Readonly<Record<string, string | undefined>>,
    serve: (traceId: string | null) => Promise<{ readonly answer: Answer; readonly served: Served }>,
  ): Promise<Answer> {
    const parent = this.#propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
    const attributes = { 'http.request.method': method, 'holdfast.request.id': requestId };
    const span = this.#tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
    if (!span.isRecording()) {
      // Not sampled: child spans are not recorded either.
      return (await serve(null)).answer;
    }
    try {
      const { answer, served } = await requestObserver.run(
        (script) => this.#startScript(script, span),
        serve,
        span.spanContext().traceId,
      );
      const { route, status, tenant } = served;
      span.updateName(`${method} ${route}`);
      span.setAttributes({ 'http.route': route, 'http.response.status_code': status });
      if (tenant !== undefined) span.setAttribute('holdfast.tenant.id', tenant);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      return answer;
    } finally {
      span.end();
    }
  }

  /** Begins the span of a script, below that of its request. Returns a callback for the script's reply or error. */
  #startScript(script: string, request: Span): (error?: unknown) => void {
    const attributes = { 'db.system.name': 'redis', 'db.operation.name': script };
    const parent = trace.setSpan(ROOT_CONTEXT, request);
    const span = this.#tracer.startSpan(`script ${script}`, { kind: SpanKind.CLIENT, attributes }, parent);
    return (error) => {
      // The message is left out: it may contain arguments of the script.
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
  }

  /** Sends the remaining spans. Gives up after 2 s. */
  async close(): Promise<void> {
    const late = after(CLOSE_WITHIN_MS, undefined, { ref: false });
    await Promise.race([this.#provider.shutdown().catch(() => {}), late]);
  }

  get #tracer() {
    return this.#provider.getTracer('holdfast');
  }
}
