/**
 * Traces by OpenTelemetry: a span for each request, and one below it for each script that it calls. Loaded only where
 * an endpoint is configured. The libraries themselves read the other OTEL_ variables: headers, sampler, service name.
 * No key, token, body or query is told.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { defaultTextMapGetter, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';

/** That the collector has to take the last spans when the instance leaves. */
const CLOSE_WITHIN_MS = 2000;

/** What is known of a request only once it is answered. */
export interface Served {
  /** The pattern that it matched. */
  readonly route: string;
  readonly status: number;
  readonly tenant: string | undefined;
}

export class Traces {
  readonly #provider: BasicTracerProvider;
  readonly #propagator = new W3CTraceContextPropagator();
  /** The span of the request that is being served. */
  readonly #request = new AsyncLocalStorage<Span>();

  /** @param endpoint of an OTLP receiver by HTTP, without /v1/traces */
  constructor(endpoint: string, log: Logger) {
    setGlobalErrorHandler((err) => log.warn({ err }, 'exporting traces'));
    const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
    this.#provider = new BasicTracerProvider({
      resource: defaultResource()
        .merge(resourceFromAttributes({ 'service.name': 'holdfast' }))
        .merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
    });
  }

  /**
   * Serves a request in a span of its own, below the caller's where it says so.
   * @param carrier the headers traceparent and tracestate
   */
  async traceRequest(
    method: string,
    carrier: Readonly<Record<string, string | undefined>>,
    serve: () => Promise<Served>,
  ): Promise<void> {
    const parent = this.#propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
    const attributes = { 'http.request.method': method };
    const span = this.#tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
    if (!span.isRecording()) {
      // The sampler passed it over: nothing below it is recorded either.
      await serve();
      return;
    }
    try {
      const { route, status, tenant } = await this.#request.run(span, serve);
      span.updateName(`${method} ${route}`);
      span.setAttributes({ 'http.route': route, 'http.response.status_code': status });
      if (tenant !== undefined) span.setAttribute('holdfast.tenant.id', tenant);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    } finally {
      span.end();
    }
  }

  /**
   * To be called when a script is sent; what it returns, when it is answered. What no request asked for has no span.
   */
  readonly startScript = (script: string) => {
    const request = this.#request.getStore();
    if (request === undefined) return () => {};
    const attributes = { 'db.system.name': 'redis', 'db.operation.name': script };
    const parent = trace.setSpan(ROOT_CONTEXT, request);
    const span = this.#tracer.startSpan(`script ${script}`, { kind: SpanKind.CLIENT, attributes }, parent);
    return (error?: unknown) => {
      // Its message may hold what was sent.
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
  };

  /** Sends what has not been sent yet, or gives it up. */
  async close(): Promise<void> {
    const late = new Promise((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS).unref());
    await Promise.race([this.#provider.shutdown().catch(() => {}), late]);
  }

  get #tracer() {
    return this.#provider.getTracer('holdfast');
  }
}
