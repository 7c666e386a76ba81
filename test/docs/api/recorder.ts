/**
 * Makes the requests of a scenario, and keeps those that the reference shows.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { DEFAULT_INSTANCE, openapiDocument } from '../../../src/http/openapi/openapi.ts';
import type { Document } from '../../../src/http/reference/document.ts';
import type { Example, ExampleCaller } from '../../../src/http/reference/examples.ts';
import { Normaliser } from './normaliser.ts';

const { paths } = openapiDocument(DEFAULT_INSTANCE) as Document;
const PLACES = new Map(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [operationId, { method: method.toUpperCase(), path }]),
  ),
);

/** Headers of responses that examples show. */
const SHOWN = [
  'Holdfast-Error',
  'Holdfast-Waiting',
  'Holdfast-Note',
  'Idempotency-Replayed',
  'Preference-Applied',
  'Allow',
  'Retry-After',
];

/** Who makes a request, as examples show it, and the headers that carry the credential. */
export interface Caller {
  readonly as: ExampleCaller;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Asked {
  readonly by: Caller;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The instance, if it is another one. */
  readonly url?: string;
  /** Where the response has a list that is sorted by ids, which are random: by which field examples sort it. */
  readonly sortedBy?: string;
}

export interface Answered {
  readonly status: number;
  readonly body: unknown;
}

/** Reads a text of a response, such as `textAt(body, 0, 'releaseToken')`. @throws ZodError if there is none */
export const textAt = (body: unknown, ...path: readonly (string | number)[]): string =>
  z
    .string()
    .parse(
      path.reduce<unknown>(
        (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
        body,
      ),
    );

/** The operation of a call, or a method and a path that none has. */
type Place =
  | string
  | {
      readonly method: string;
      readonly path: string;
      /** The body that the example shows in place of one that is too long. */
      readonly body?: string;
    };

export class Recorder {
  readonly examples: Record<string, Example[]>;
  readonly #url: string;
  readonly #normaliser: Normaliser;

  /** @param names what tenants and addresses are called in examples */
  constructor(examples: Record<string, Example[]>, url: string, scenario: string, names: ReadonlyMap<string, string>) {
    this.examples = examples;
    this.#url = url;
    this.#normaliser = new Normaliser(scenario, names);
  }

  /** Makes a request and keeps it as an example of the operation. */
  async show(title: string, operationId: string, asked: Asked): Promise<Answered> {
    return this.#made(operationId, asked, (example) => this.keep(operationId, { title, ...example }));
  }

  /** Makes a request that no example shows. */
  quiet = (operationId: string, asked: Asked): Promise<Answered> => this.#made(operationId, asked, () => {});

  /** Makes a request of no operation and keeps it under a name. */
  async showError(name: string, place: Place, asked: Asked): Promise<Answered> {
    return this.#made(place, asked, (example) => this.keep(name, { title: name, ...example }));
  }

  keep(name: string, example: Example): void {
    this.examples[name] ??= [];
    this.examples[name].push(example);
  }

  normal = <T>(value: T): T => this.#normaliser.normal(value);

  begin(): Promise<void> {
    this.#normaliser.begin();
    return sleep(2);
  }

  async #made(
    place: Place,
    { by, path: parameters = {}, query = '', headers = {}, body, url = this.#url, sortedBy }: Asked,
    keep: (example: Omit<Example, 'title'>) => void,
  ): Promise<Answered> {
    // Times distinguish the steps.
    await sleep(8);
    await this.begin();
    const { method, path, body: shownBody = body } = typeof place === 'string' ? { ...placeOf(place), body } : place;
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name] ?? ''));
    const response = await fetch(url + filled + query, {
      method,
      headers: {
        ...by.headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const answer: unknown = isJson && text !== '' ? JSON.parse(text) : text;
    const shown = Object.fromEntries(
      SHOWN.flatMap((name) => (response.headers.has(name) ? [[name, response.headers.get(name) ?? '']] : [])),
    );
    const example = this.normal({
      as: by.as,
      method,
      address: filled + query,
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
      ...(body === undefined ? {} : { body: shownBody }),
      status: response.status,
      ...(Object.keys(shown).length > 0 ? { responseHeaders: shown } : {}),
      response: sortedBy === undefined ? answer : sorted(answer, sortedBy),
    });
    keep(example);
    return { status: response.status, body: answer };
  }
}

function placeOf(operationId: string) {
  const place = PLACES.get(operationId);
  if (place === undefined) throw new Error(`there is no operation ${operationId}`);
  return place;
}

/** Sorts the arrays of a response. */
function sorted(value: unknown, field: string): unknown {
  if (Array.isArray(value)) return value.toSorted((a, b) => String(a[field]).localeCompare(String(b[field])));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, sorted(part, field)]));
}
