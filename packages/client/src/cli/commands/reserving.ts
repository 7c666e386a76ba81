/** Arguments that `run` and `reserve` have in common: resources, lease and wait. */
import type { Target } from '../../index.ts';
import type { ReserveOptions } from '../../types.ts';
import type { Arguments, Option } from '../arguments.ts';
import { REQUESTER_OPTION, URL_OPTION } from '../command.ts';
import { usageError } from '../exitCodes.ts';
import { matchOf } from '../match.ts';

export const DEFAULT_TTL_MS = 30_000;

export const MATCH_OPTION: Option = {
  name: 'match',
  value: '<label>=<value>',
  multiple: true,
  text: 'any resource with this label; with !=, without it. Several: repeat it, or a comma between',
};

export const RESERVING_OPTIONS: readonly Option[] = [
  {
    name: 'wait',
    value: '<duration>',
    text: 'wait for it up to this long: 30s, 10m, 2h; default: $HOLDFAST_WAIT, or not at all',
  },
  { name: 'priority', value: '<n>', text: 'place in the queue, -100 to 100; higher is served first' },
  { name: 'count', value: '<n>', text: 'slots of a pool to take together' },
  { name: 'shared', text: 'hold it together with other readers' },
  MATCH_OPTION,
  { name: 'quantity', value: '<n>', text: 'so many resources with the --match, all or none' },
  { name: 'note', value: '<text>', text: 'why, for people: shown to those who wait; default: $HOLDFAST_NOTE' },
  { ...REQUESTER_OPTION, text: `${REQUESTER_OPTION.text}, or one that is unique` },
  URL_OPTION,
];

/** The resources to reserve, as one argument of the client. */
export interface Wish {
  readonly names: readonly string[];
  readonly options: ReserveOptions;
  /** For messages. */
  readonly title: string;
}

/** @throws ExitError of wrong use */
export function wishOf(args: Arguments): Wish {
  const names = args.positionals;
  const match = matchOf(args.all('match'), '--match');
  const [count, quantity] = [args.integer('count'), args.integer('quantity')];
  if (names.length === 0 && match === undefined) throw usageError('name a resource, or use --match');
  if (new Set(names).size < names.length) throw usageError('a resource is named twice');
  if (count !== undefined && (names.length !== 1 || match)) throw usageError('--count is for one resource by its name');
  if (quantity !== undefined && match === undefined) throw usageError('--quantity is for a --match');
  const options: ReserveOptions = {
    wait: args.duration('wait', 'HOLDFAST_WAIT'),
    priority: args.integer('priority'),
    count,
    mode: args.has('shared') ? 'SHARED' : undefined,
    match,
    quantity,
    note: args.text('note', 'HOLDFAST_NOTE'),
  };
  const wanted = args.all('match').join(',');
  const title = [...names, ...(match ? [(quantity ?? 1) > 1 ? `${quantity} × ${wanted}` : wanted] : [])].join(', ');
  return { names, options, title };
}

/** The resources to reserve, as the client takes them: options with a match stand for themselves. */
export function targetOf({ names: [first, ...others] }: Wish, options: ReserveOptions): Target {
  const { match } = options;
  if (first === undefined) return { ...options, match: match ?? {} };
  return others.length === 0 ? first : [first, ...others];
}

/** The lease in ms: `--ttl never` is for a reservation that ends only when it is released. */
export function ttlOf(args: Arguments): number | undefined {
  return args.text('ttl') === 'never' ? Number.POSITIVE_INFINITY : args.duration('ttl');
}
