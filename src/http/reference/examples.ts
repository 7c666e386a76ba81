/**
 * The examples of the reference: requests that a test has really made, and their responses (`npm run examples`).
 */
import recorded from './examples.json' with { type: 'json' };

/** Who makes a request. */
export type ExampleCaller = 'key' | 'read key' | 'management token' | 'session' | 'nobody' | 'wrong key';

export interface Example {
  readonly title: string;
  readonly as: ExampleCaller;
  readonly method: string;
  /** Path and query. */
  readonly address: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly status: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** JSON, or the text of a body of another type. */
  readonly response: unknown;
}

/** By operation. Those that begin with `error:` are of no operation. */
export type Examples = Readonly<Record<string, readonly Example[]>>;

export const examples = recorded as Examples;
