/** `holdfast waiting`: lists who waits. `holdfast cancel`: ends the waits of a requester. */
import type { WaitingRequest } from '../../types.ts';
import { type Command, JSON_OPTION, REQUESTER_OPTION, URL_OPTION } from '../command.ts';
import { connect, namedRequester } from '../connect.ts';
import { EXIT, usageError } from '../exitCodes.ts';
import { ago, left } from '../moments.ts';
import { printRows } from '../output.ts';
import { FILTERS } from './ls.ts';

const COLUMNS = {
  RESOURCES: ({ resources, counts, conditions = [] }: WaitingRequest) =>
    resources
      .map((name, i) => ((counts[i] ?? 1) > 1 ? `${counts[i]} of ${name}` : name))
      .map((wanted, i) => ((conditions[i] ?? 'ready') === 'ready' ? wanted : `${wanted} (${conditions[i]})`))
      .join(', '),
  REQUESTER: ({ requester }: WaitingRequest) => requester,
  'WAITS FOR': ({ waitsFor }: WaitingRequest) => waitsFor,
  PRIORITY: ({ priority }: WaitingRequest) => String(priority),
  FOR: ({ since }: WaitingRequest) => ago(since),
  'GIVES UP IN': ({ until }: WaitingRequest) => left(until),
  NOTE: ({ note }: WaitingRequest) => note ?? '',
};

export const waiting: Command = {
  name: 'waiting',
  summary: 'Lists who waits, in the order of the queue',
  synopsis: 'waiting [options]',
  positionals: { min: 0, max: 0 },
  options: [...FILTERS, JSON_OPTION, URL_OPTION],
  examples: ['holdfast waiting', 'holdfast waiting --resource printer --json'],
  run: async ({ args, signal }) => {
    const filter = { resource: args.text('resource'), requester: args.text('requester'), signal };
    printRows(args.has('json'), await (await connect({ args, signal })).waiting(filter), COLUMNS, 'nobody waits');
    return EXIT.done;
  },
};

interface Cancelled {
  readonly resource: string;
  readonly requester: string;
  /** False: it did not wait. */
  readonly cancelled: boolean;
}

const OUTCOMES = {
  RESOURCE: ({ resource }: Cancelled) => resource,
  REQUESTER: ({ requester }: Cancelled) => requester,
  STATUS: ({ cancelled }: Cancelled) => (cancelled ? 'cancelled' : 'did not wait'),
};

export const cancel: Command = {
  name: 'cancel',
  summary: 'Ends the waits of a requester',
  synopsis: 'cancel [options] <resource>…',
  details: '`holdfast waiting` shows who waits. A `run` or `reserve` that is stopped by a signal cancels its own wait.',
  positionals: { min: 1, max: 500 },
  options: [{ ...REQUESTER_OPTION, text: 'who waits; default: $HOLDFAST_REQUESTER' }, JSON_OPTION, URL_OPTION],
  examples: ['holdfast cancel --requester nightly printer'],
  run: async ({ args, signal }) => {
    const requester = namedRequester(args);
    if (requester === undefined) throw usageError('who waits? cancel needs --requester, or HOLDFAST_REQUESTER');
    const client = await connect({ args, signal });
    const cancelOne = async (resource: string): Promise<Cancelled> => {
      return { resource, requester, cancelled: await client.cancel(resource, { requester, signal }) };
    };
    printRows(args.has('json'), await Promise.all(args.positionals.map(cancelOne)), OUTCOMES, '');
    return EXIT.done;
  },
};
