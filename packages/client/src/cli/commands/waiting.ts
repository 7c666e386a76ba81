/** `holdfast waiting`: lists who waits. */
import type { WaitingRequest } from '../../types.ts';
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT } from '../exitCodes.ts';
import { printRows } from '../output.ts';
import { ago, left } from '../times.ts';
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
