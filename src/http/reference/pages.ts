/**
 * The pages of the reference: one for each tag of the OpenAPI document.
 */

import { callersInWords } from './callers.ts';
import { type Call, callsOf, type Document } from './document.ts';
import type { Examples } from './examples.ts';
import { anchorOf, type Block, heading, table, text } from './html.ts';
import { operationBlocks } from './operationBlocks.ts';

export interface Titled {
  /** Its name in addresses. */
  readonly slug: string;
  readonly title: string;
}

interface Page extends Titled {
  readonly blocks: readonly Block[];
}

interface Group extends Titled {
  readonly tag: string;
}

const GROUPS: readonly Group[] = [
  { tag: 'Reservation', slug: 'reservation', title: 'Reservations' },
  { tag: 'Session', slug: 'session', title: 'Sessions' },
  { tag: 'Booking', slug: 'booking', title: 'Bookings' },
  { tag: 'Resource', slug: 'resource', title: 'Resources' },
  { tag: 'Events', slug: 'events', title: 'Events' },
  { tag: 'Authentication', slug: 'auth', title: 'Authentication' },
  { tag: 'Keys', slug: 'keys', title: 'Keys and management tokens' },
  { tag: 'Notices', slug: 'notices', title: 'Subscriptions to events' },
  { tag: 'Tenant', slug: 'tenant', title: 'Tenant' },
  { tag: 'Members', slug: 'members', title: 'Members' },
  { tag: 'Administration', slug: 'admin', title: 'Administration' },
  { tag: 'Service', slug: 'service', title: 'Service' },
];

const withCalls = (document: Document) =>
  document.tags.flatMap(({ name, description }) => {
    const group = GROUPS.find(({ tag }) => tag === name);
    if (group === undefined) throw new Error(`the tag ${name} has no page`);
    const calls = callsOf(document, name);
    return calls.length === 0 ? [] : [{ ...group, description, calls }];
  });

const callRow = (prefix: string, { method, path, summary, 'x-right': right }: Call): string[] => [
  `[${summary}](${prefix}#${anchorOf(summary)})`,
  `\`${method} ${path}\``,
  callersInWords(right),
];

const CALLS = ['call', 'method and path', 'who may call it'];

/** The pages of an instance: without those whose operations it does not have. */
export const pagesOf = (document: Document, examples: Examples, origin: string): Page[] =>
  withCalls(document).map(({ slug, title, description, calls }) => ({
    slug,
    title,
    blocks: [
      heading(1, title),
      text(
        `${description} [All calls](README.md#all-calls) · [errors](README.md#errors) · [headers](README.md#headers)`,
      ),
      table(
        CALLS,
        calls.map((call) => callRow('', call)),
      ),
      ...calls.flatMap((call) => operationBlocks(call, document, examples, origin)),
    ],
  }));

/** All operations, by page. */
export const overview = (document: Document): Block[] =>
  withCalls(document).flatMap(({ slug, title, description, calls }) => [
    heading(3, title),
    text(description),
    table(
      CALLS,
      calls.map((call) => callRow(`${slug}.md`, call)),
    ),
  ]);

/** Slug and title of each page. */
export const titlesOf = (document: Document): Titled[] =>
  withCalls(document).map(({ slug, title }) => ({ slug, title }));
