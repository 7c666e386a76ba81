/**
 * Adds to the OpenAPI document what was really sent and received: examples of bodies and of responses.
 */
import type { Call, Content, Document } from './document.ts';
import type { Example, Examples } from './examples.ts';

type Values = Record<string, { value: unknown }>;

/** Media type objects of the document, which the generator has just made. */
interface Media extends Content {
  example?: unknown;
  examples?: Values;
}

/** @returns the document, with the examples of each operation that it has */
export function withExamples<Given extends object>(document: Given, examples: Examples): Given {
  const { paths } = document as Document;
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
    addTo(operation, examples[operation.operationId] ?? []);
  return document;
}

function addTo({ requestBody, responses }: Omit<Call, 'method' | 'path'>, examples: readonly Example[]): void {
  const successes = examples.filter(({ status }) => status < 300);
  const bodies = successes.filter(({ body }) => body !== undefined).map(({ title, body }) => [title, body] as const);
  put(requestBody?.content['application/json'], distinct(bodies));
  for (const [status, { content = {} }] of Object.entries(responses)) {
    const own = examples.filter((example) => String(example.status) === status);
    for (const [type, media] of Object.entries(content)) {
      const fitting = own
        .filter((example) => typeOf(example) === type)
        .map(({ title, response }) => [title, response] as const);
      put(media, distinct(fitting));
    }
  }
}

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
