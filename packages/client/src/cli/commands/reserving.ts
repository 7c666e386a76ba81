/** Arguments that `run` and `reserve` have in common: resources, lease and wait. */
import type { Target } from '../../index.ts';
import type { Match, ReserveOptions } from '../../types.ts';
import type { Arguments, Option } from '../arguments.ts';
import { REQUESTER_OPTION, URL_OPTION } from '../command.ts';
import { usageError } from '../exitCodes.ts';

export const DEFAULT_TTL_MS = 30_000;

export const RESERVING_OPTIONS: readonly Option[] = [
  {
    name: 'wait',
    value: '<duration>',
    text: 'wait for it up to this long: 30s, 10m, 2h; default: $HOLDFAST_WAIT, or not at all',
  },
  { name: 'priority', value: '<n>', text: 'place in the queue, -100 to 100; higher is served first' },
  { name: 'count', value: '<n>', text: 'slots of a pool to take together' },
  { name: 'shared', text: 'hold it together with other readers' },
  {
    name: 'match',
    value: '<label>=<value>',
    multiple: true,
    text: 'any resource with this label, instead of a name. May be given several times',
  },
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

/** `--match os=android --match size=l --match size=xl` */
function matchOf(texts: readonly string[]): Match | undefined {
  const match = new Map<string, string | string[]>();
  for (const text of texts) {
    const [, label = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (label === '') throw usageError(`--match is <label>=<value>, not ${JSON.stringify(text)}`);
    const former = match.get(label);
    match.set(label, former === undefined ? value : [former, value].flat());
  }
  return match.size === 0 ? undefined : Object.fromEntries(match);
}

/** @throws ExitError of wrong use */
export function wishOf(args: Arguments): Wish {
  const names = args.positionals;
  const match = matchOf(args.all('match'));
  const count = args.integer('count');
  if ((names.length === 0) === (match === undefined)) throw usageError('name a resource, or use --match; not both');
  if (new Set(names).size < names.length) throw usageError('a resource is named twice');
  if (count !== undefined && names.length !== 1) throw usageError('--count is for one resource by its name');
  const options: ReserveOptions = {
    wait: args.duration('wait', 'HOLDFAST_WAIT'),
    priority: args.integer('priority'),
    count,
    mode: args.has('shared') ? 'SHARED' : undefined,
    match,
    note: args.text('note', 'HOLDFAST_NOTE'),
  };
  return { names, options, title: match === undefined ? names.join(', ') : args.all('match').join(',') };
}

/** The resources to reserve, as the client takes them: options with a match stand for themselves. */
export function targetOf({ names: [first = '', ...others] }: Wish, options: ReserveOptions): Target {
  const { match } = options;
  if (match !== undefined) return { ...options, match };
  return others.length === 0 ? first : [first, ...others];
}

/** The lease in ms: `--ttl never` is for a reservation that ends only when it is released. */
export function ttlOf(args: Arguments): number | undefined {
  return args.text('ttl') === 'never' ? Number.POSITIVE_INFINITY : args.duration('ttl');
}
