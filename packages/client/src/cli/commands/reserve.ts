/** `holdfast reserve`: reserves, for a script that renews and releases by itself. */
import type { Hold, Reservation } from '../../index.ts';
import { type Call, type Command, JSON_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT } from '../exitCodes.ts';
import { span } from '../moments.ts';
import { print, printJson, say, table } from '../output.ts';
import { leased } from './reservations.ts';
import { DEFAULT_TTL_MS, RESERVING_OPTIONS, targetOf, ttlOf, wishOf } from './reserving.ts';
import { Wait } from './waits.ts';

const DETAILS = `\
It is not renewed by itself: it ends after --ttl, unless \`holdfast renew\` is called before. To hold something while a
command runs, use \`holdfast run\`. Several resources are taken together, or not at all.

A script keeps what --json prints in a variable: \`release -\` and \`renew -\` read it from stdin. --quiet prints the
release token only: \`release\` and \`renew\` need the name and the requester besides, so choose one by --requester.`;

export const reserve: Command = {
  name: 'reserve',
  summary: 'Reserves resources, for a script that releases them',
  synopsis: 'reserve [options] <resource>…',
  details: DETAILS,
  positionals: { min: 0, max: 500 },
  options: [
    { name: 'ttl', value: '<duration>', text: 'the lease: 30s, 10m; never: until it is released. Default: 30s' },
    ...RESERVING_OPTIONS,
    JSON_OPTION,
    { name: 'quiet', short: 'q', text: 'print the release token only, and no messages about the wait' },
  ],
  examples: [
    'holdfast reserve printer --ttl 5m',
    'hold=$(holdfast reserve printer --ttl 5m --wait 10m --json) || exit',
    'trap \'printf %s "$hold" | holdfast release -\' EXIT',
    'token=$(holdfast reserve printer --ttl 5m --requester build-7 --quiet)',
  ],
  run: async (call) => {
    const { args } = call;
    const ttl = ttlOf(args) ?? DEFAULT_TTL_MS;
    const hold = await reserveFor(call, ttl);
    const printable = hold.reservations.map((reservation) => leased(reservation, ttl));
    if (args.has('json')) printJson(printable.length === 1 ? printable[0] : printable);
    else if (args.has('quiet')) print(hold.reservations.map(({ releaseToken }) => releaseToken).join('\n'));
    else show(hold);
    return EXIT.done;
  },
};

/**
 * Reserves what the arguments name, and tells about the wait.
 * @param ttl the lease in ms; Infinity: it never ends
 * @throws ExitError of wrong use; HoldfastError that says who is in the way
 */
export async function reserveFor(call: Call, ttl: number): Promise<Hold> {
  const wish = wishOf(call.args);
  const client = await connect(call);
  const wait = new Wait(wish, call);
  const options = { ...wish.options, ttl, signal: call.signal, onWaiting: wait.onWaiting };
  return client
    .reserve(targetOf(wish, options), options)
    .finally(() => wait.stop())
    .catch(async (error: unknown) => Promise.reject(await wait.explain(client, error)));
}

const COLUMNS = ['RESOURCE', 'SLOTS', 'REQUESTER', 'ENDS IN', 'FENCING TOKEN', 'RELEASE TOKEN'];

function show(hold: Hold): void {
  const ends = Number.isFinite(hold.remainingMs) ? span(hold.remainingMs) : 'never';
  const cells = ({ resource, slots, requester, fencingToken, releaseToken }: Reservation) => {
    return [resource, slots.join(' '), requester, ends, String(fencingToken), releaseToken];
  };
  print(table(COLUMNS, hold.reservations.map(cells)));
  for (const { resource, requester, releaseToken } of hold.reservations)
    say(
      `release it: holdfast release ${[resource, '--requester', requester, '--token', releaseToken].map(quoted).join(' ')}`,
    );
}

/** As a shell needs it. */
const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
