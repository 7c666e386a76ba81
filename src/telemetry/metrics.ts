/**
 * The metrics of an instance, for Prometheus. No label has a value that callers choose (tenant, resource, unknown
 * path), so that the number of series is bounded by the code.
 */

import { createServer, type Server } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { Counts, StuckQueues } from './counts.ts';
import { Times } from './times.ts';

/** HTTP methods with a series of their own. The parser accepts about thirty more, which are counted together. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const REQUEST_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const SCRIPT_BUCKETS_S = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const JOB_BUCKETS_S = [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120];
const WAITING_BUCKETS_S = [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120, 600, 3600, 21_600, 86_400];

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = this.#times(
    'http_request_duration_seconds',
    'Requests by route, until the response headers are ready or the response is held',
    REQUEST_BUCKETS_S,
    ['method', 'route', 'status'],
  );
  readonly #operations = new Counts(
    { name: 'holdfast_operations_total', help: 'Items of requests by outcome', labelNames: ['verb', 'outcome'] },
    this.#registry,
  );
  readonly #transactions = this.#counter('transactions_total', 'Transactions', ['method', 'status']);
  readonly #refusals = this.#counter('limit_refusals_total', 'Requests refused with 429', ['limit_type']);
  readonly #overload = this.#counter('overload_refusals_total', 'Requests refused with 503 because of overload', []);
  readonly #scripts = this.#times('script_duration_seconds', 'Round trips of scripts to Redis', SCRIPT_BUCKETS_S, [
    'script',
  ]);
  readonly #scriptErrors = this.#counter('script_errors_total', 'Scripts that failed or got no reply', ['script']);
  readonly #delivered = this.#counter(
    'events_delivered_total',
    'Events written to streams, counted for each stream',
    [],
  );
  readonly #streamsEnded = this.#counter('streams_ended_total', 'Event streams that ended', ['reason']);
  readonly #jobs = this.#histogram('job_duration_seconds', 'Runs of background jobs', JOB_BUCKETS_S, ['queue']);
  readonly #jobErrors = this.#counter('job_errors_total', 'Runs of background jobs that failed', ['queue']);
  readonly #swept = this.#counter('reservations_swept_total', 'Reservations ended by the expiry sweep', []);
  readonly #waitsEnded = this.#counter('waits_ended_total', 'Waits whose end a call of this instance saw', ['outcome']);
  readonly #waiting = this.#histogram(
    'waiting_seconds',
    'Time from the start of a wait until it was granted',
    WAITING_BUCKETS_S,
    [],
  );
  readonly #lostEntries = this.#counter(
    'audit_entries_lost_total',
    'Entries of the audit trail that could not be written, and were logged instead',
    [],
  );
  readonly #jwksErrors = this.#counter(
    'jwks_errors_total',
    'Token exchanges that failed because the keys of the issuer could not be fetched',
    [],
  );
  readonly #notices = this.#counter('notice_attempts_total', 'Attempts to deliver notices', ['kind', 'result']);
  readonly #moved = this.#counter('history_moved_total', 'Entries of the history that were moved to the database', []);
  readonly #stuckQueues = new StuckQueues();

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    this.addGauge(
      'stuck_queues',
      'Queues that did not move by themselves, found by sweeps in the last 10 minutes',
      () => this.#stuckQueues.count(),
    );
  }

  /** @param route the pattern that the request matched */
  countRequest(method: string, route: string, status: number, durationMs: number): void {
    const known = METHODS.has(method) ? method : 'other';
    this.#requests.add(durationMs / 1000, known, route, status);
  }

  /** Counts the items of a request by outcome. */
  countItems(verb: string, results: readonly { readonly status: string }[]): void {
    for (const { status } of results) this.#operations.add(verb, status);
  }

  countTransaction(method: string, status: string): void {
    this.#transactions.inc({ method, status });
  }

  countRefusal(limitType: string): void {
    this.#refusals.inc({ limit_type: limitType });
  }

  countOverload(refusals: number): void {
    this.#overload.inc(refusals);
  }

  /** Called when a script is sent. Returns a callback for its reply or error. */
  readonly startScript = (script: string) => {
    const start = performance.now();
    return (error?: unknown) => {
      this.#scripts.add((performance.now() - start) / 1000, script);
      if (error !== undefined) this.#scriptErrors.inc({ script });
    };
  };

  countDelivered(events: number): void {
    this.#delivered.inc(events);
  }

  /**
   * @param streams 0 creates the series without counting. Prometheus does not see the growth of a series that starts
   * at 1
   */
  countStreamEnd(reason: string, streams = 1): void {
    this.#streamsEnded.inc({ reason }, streams);
  }

  /**
   * Returns the job's run with timing added. The label is `queue`, because Prometheus sets `job` itself.
   */
  timed(job: string, run: () => Promise<void>): () => Promise<void> {
    this.#jobErrors.inc({ queue: job }, 0);
    return () => this.#time(job, run);
  }

  async #time(job: string, run: () => Promise<void>): Promise<void> {
    const end = this.#jobs.startTimer({ queue: job });
    try {
      await run();
    } catch (error) {
      this.#jobErrors.inc({ queue: job });
      throw error;
    } finally {
      end();
    }
  }

  /**
   * Counts what a sweep did.
   * @param stuckQueues the tenants whose queue it had to move
   */
  countSweep(reservations: number, stuckQueues: readonly string[]): void {
    this.#swept.inc(reservations);
    this.#stuckQueues.note(stuckQueues);
  }

  /** Counts entries of the history that were moved to the database. */
  countMoved(entries: number): void {
    this.#moved.inc(entries);
  }

  /** @param waits 0 creates the series without counting */
  countWaitEnd(outcome: string, waits = 1): void {
    this.#waitsEnded.inc({ outcome }, waits);
  }

  /** Counts entries of the audit trail that could not be written. */
  countLostEntries(entries: number): void {
    this.#lostEntries.inc(entries);
  }

  /** Counts a token exchange that failed because the keys of the issuer could not be fetched. */
  countJwksError(): void {
    this.#jwksErrors.inc();
  }

  /** Counts an attempt to deliver to a subscription. @param attempts 0 creates the series without counting */
  countNotice(kind: string, result: string, attempts = 1): void {
    this.#notices.inc({ kind, result }, attempts);
  }

  /** @param waitedMs time from the start of the wait until the grant, in ms */
  timeWait(waitedMs: number): void {
    this.#waiting.observe(waitedMs / 1000);
  }

  /**
   * Adds a value that is read when Prometheus asks for it.
   * @param read if it fails, the value is left out
   */
  addGauge(name: string, help: string, read: () => number | Promise<number>): void {
    const gauge = new Gauge({
      name: `holdfast_${name}`,
      help,
      registers: [this.#registry],
      collect: async () => {
        try {
          gauge.set(await read());
        } catch {
          gauge.remove();
        }
      },
    });
  }

  /** Returns all metrics in Prometheus's text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name: `holdfast_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #times(name: string, help: string, buckets: number[], labelNames: readonly string[]): Times {
    return new Times({ name: `holdfast_${name}`, help, buckets, labelNames }, this.#registry);
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly Label[],
  ): Histogram<Label> {
    return new Histogram({ name: `holdfast_${name}`, help, buckets, labelNames, registers: [this.#registry] });
  }
}

/**
 * Serves GET /metrics on a port of its own, which is for operators and not exposed by load balancers.
 * @returns the server and the URL of the metrics
 * @throws Error if the port cannot be used
 */
export async function serveMetrics(metrics: Metrics, host: string, port: number): Promise<[Server, string]> {
  const server = createServer((request, response) => {
    // Node sends no body in an answer to HEAD.
    if (!['GET', 'HEAD'].includes(request.method ?? '') || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ message }) => reject(new Error(`cannot serve metrics: ${message}`)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return [server, `http://${host.includes(':') ? `[${host}]` : host}:${bound}/metrics`];
}
