/**
 * What an instance counts and times of itself, in Prometheus's terms. No label ever holds what a caller chose (a
 * tenant, a resource, a path that no route has), so the number of series is bounded by the code alone.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Of HTTP; the parser takes some thirty more, which nobody needs apart. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const REQUEST_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const SCRIPT_BUCKETS_S = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const JOB_BUCKETS_S = [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120];

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = this.#histogram(
    'http_request_duration_seconds',
    'Requests by route, until the head of the answer is ready',
    REQUEST_BUCKETS_S,
    ['method', 'route', 'status'],
  );
  readonly #operations = this.#counter('operations_total', 'Items of requests by what they came to', [
    'verb',
    'outcome',
  ]);
  readonly #transactions = this.#counter('transactions_total', 'Transactions', ['method', 'status']);
  readonly #refusals = this.#counter('limit_refusals_total', 'Requests refused with 429', ['limit_type']);
  readonly #overload = this.#counter('overload_refusals_total', 'Requests refused with 503 for want of room', []);
  readonly #scripts = this.#histogram(
    'script_duration_seconds',
    'Round trips of scripts to Redis and back',
    SCRIPT_BUCKETS_S,
    ['script'],
  );
  readonly #scriptErrors = this.#counter('script_errors_total', 'Scripts that Redis did not answer, or with an error', [
    'script',
  ]);
  readonly #delivered = this.#counter('events_delivered_total', 'Events written to streams, each for each of them', []);
  readonly #streamsEnded = this.#counter('streams_ended_total', 'Streams of events that ended', ['reason']);
  readonly #jobs = this.#histogram('job_duration_seconds', 'Turns of background jobs', JOB_BUCKETS_S, ['queue']);
  readonly #jobErrors = this.#counter('job_errors_total', 'Turns of background jobs that failed', ['queue']);
  readonly #swept = this.#counter('reservations_swept_total', 'Reservations ended by the expiry sweep', []);

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** @param route the pattern that the request matched */
  countRequest(method: string, route: string, status: number, durationMs: number): void {
    const known = METHODS.has(method) ? method : 'other';
    this.#requests.observe({ method: known, route, status }, durationMs / 1000);
  }

  /** Counts what the items of a request came to. */
  countItems(verb: string, results: readonly { readonly status: string }[]): void {
    const counts = new Map<string, number>();
    for (const { status } of results) counts.set(status, (counts.get(status) ?? 0) + 1);
    for (const [outcome, count] of counts) this.#operations.inc({ verb, outcome }, count);
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

  /** To be called when a script is sent; what it returns, when it is answered. */
  readonly startScript = (script: string) => {
    const start = performance.now();
    return (error?: unknown) => {
      this.#scripts.observe({ script }, (performance.now() - start) / 1000);
      if (error !== undefined) this.#scriptErrors.inc({ script });
    };
  };

  countDelivered(events: number): void {
    this.#delivered.inc(events);
  }

  /**
   * @param streams 0 to have the series from the start: of one that begins at 1, Prometheus does not see that it has
   * grown
   */
  countStreamEnd(reason: string, streams = 1): void {
    this.#streamsEnded.inc({ reason }, streams);
  }

  /**
   * Gives a job whose turns are timed. The label is not `job`: so Prometheus calls what it scrapes.
   * @param turn a turn of it
   */
  timed(job: string, turn: () => Promise<void>): () => Promise<void> {
    this.#jobErrors.inc({ queue: job }, 0);
    return () => this.#time(job, turn);
  }

  async #time(job: string, turn: () => Promise<void>): Promise<void> {
    const end = this.#jobs.startTimer({ queue: job });
    try {
      await turn();
    } catch (error) {
      this.#jobErrors.inc({ queue: job });
      throw error;
    } finally {
      end();
    }
  }

  countSwept(reservations: number): void {
    this.#swept.inc(reservations);
  }

  /**
   * Adds a value that is read whenever somebody asks.
   * @param read where it fails, the value is missing
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

  /** All of it, as Prometheus reads it. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name: `holdfast_${name}`, help, labelNames, registers: [this.#registry] });
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
