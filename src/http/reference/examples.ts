/**
 * The examples of the reference: requests that a test has really made, and their responses (`npm run examples`).
 */

import type { Call, Content, Document } from './document.ts';
import recorded from './examples.json' with { type: 'json' };

/** Who makes a request. */
export type ExampleCaller =
  | 'key'
  | 'read key'
  | 'derived token'
  | 'management token'
  | 'session'
  | 'nobody'
  | 'wrong key';

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
  /** JSON, or the text of a body of another type; '' if there is none */
  readonly response: unknown;
}

/** By operation. Those that begin with `error:` are of no operation. */
export type Examples = Readonly<Record<string, readonly Example[]>>;

export const examples = recorded as Examples;

type Values = Record<string, { value: unknown }>;

/** Media type objects of the document, which the generator has just made. */
interface Media extends Content {
  example?: unknown;
  examples?: Values;
}

/**
 * Adds to the OpenAPI document what was really sent and received: examples of bodies and of responses.
 * @returns the document, with the examples of each operation that it has
 */
export function withExamples<Given extends object>(document: Given, examples: Examples): Given {
  const { paths } = document as Document;
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
    addTo(operation, examples[operation.operationId] ?? [], examples);
  return document;
}

/** Errors that are the same for every operation. */
const GENERAL: Readonly<Record<string, string>> = {
  413: 'error:BODY_TOO_LARGE',
  415: 'error:UNSUPPORTED_MEDIA_TYPE',
  429: 'error:LIMIT_REACHED',
  503: 'error:UNAVAILABLE',
};

function addTo(
  { requestBody, responses, security }: Omit<Call, 'method' | 'path'>,
  examples: readonly Example[],
  all: Examples,
): void {
  const successes = examples.filter(({ status }) => status < 300);
  const bodies = successes.filter(({ body }) => body !== undefined).map(({ title, body }) => [title, body] as const);
  put(requestBody?.content['application/json'], distinct(bodies));
  for (const [status, { content = {} }] of Object.entries(responses)) {
    const exact = examples.filter((example) => String(example.status) === status);
    const isGeneral = exact.length === 0 && security.length > 0;
    const own = isGeneral ? (all[GENERAL[status] ?? ''] ?? []).map(untitled) : exact;
    for (const [type, media] of Object.entries(content)) {
      const fitting = own
        .filter((example) => typeOf(example) === type && !isShort(example))
        .map((example) => [example.title, shownIn(example)] as const);
      put(media, distinct(fitting));
    }
  }
}

/** The code of a general error is its title. */
const untitled = (example: Example): Example => ({ ...example, title: example.title.replace('error:', '') });

function put(media: Media | undefined, examples: readonly (readonly [string, unknown])[]): void {
  if (media === undefined || examples.length === 0) return;
  delete media.example;
  media.examples = Object.fromEntries(examples.map(([title, value]) => [title, { value }]));
}

/** Without those whose value an earlier one has, too. */
function distinct(examples: readonly (readonly [string, unknown])[]) {
  const seen = new Set<string>();
  return examples.filter(([, value]) => {
    const text = JSON.stringify(value);
    return !seen.has(text) && seen.add(text);
  });
}

function typeOf({ address, response }: Example): string {
  if (address.includes('format=csv')) return 'text/csv';
  return typeof response === 'string' && response.startsWith(':') ? 'text/event-stream' : 'application/json';
}

/** Returns true if its results are shorter than the schema says, since the request asked for that. */
const isShort = ({ responseHeaders = {} }: Example) => responseHeaders['Preference-Applied'] !== undefined;

/** The response; of a stream, the data of its first event. */
function shownIn(example: Example): unknown {
  if (typeOf(example) !== 'text/event-stream') return example.response;
  const [, data = 'null'] = /^data: (.*)$/m.exec(String(example.response)) ?? [];
  return JSON.parse(data);
}
