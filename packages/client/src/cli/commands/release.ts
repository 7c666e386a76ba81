/** `holdfast release`: releases what `reserve` has reserved. `holdfast reset`: ends all reservations of the tenant. */
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { confirm, mayAsk } from '../confirm.ts';
import { connect } from '../connect.ts';
import { EXIT } from '../exitCodes.ts';
import { print, printJson, printRows } from '../output.ts';
import { conditionIn } from './condition.ts';
import { forEachReservation, RESERVATION_DETAILS, RESERVATION_OPTIONS, reservationsOf } from './reservations.ts';

interface Released {
  readonly resource: string;
  readonly requester: string;
  /** False: it had ended before. */
  readonly released: boolean;
}

const COLUMNS = {
  RESOURCE: ({ resource }: Released) => resource,
  REQUESTER: ({ requester }: Released) => requester,
  STATUS: ({ released }: Released) => (released ? 'released' : 'was not held'),
};

export const release: Command = {
  name: 'release',
  summary: 'Releases what `reserve` has reserved',
  synopsis: 'release [options] <reservation>…',
  details: `${RESERVATION_DETAILS}\n\nA release of something that is not held any more succeeds. With
--condition out, nobody gets its slots until they are ready again.`,
  positionals: { min: 1, max: 500 },
  options: [
    ...RESERVATION_OPTIONS,
    { name: 'condition', value: '<ready|dirty|out>', text: 'the condition of its slots from now on' },
    { name: 'reason', value: '<text>', text: 'with --condition: why, for people' },
    JSON_OPTION,
    URL_OPTION,
  ],
  examples: [
    'printf %s "$hold" | holdfast release -',
    'holdfast release - < hold.json',
    "holdfast release - --condition out --reason 'display dark' < hold.json",
    'holdfast release printer --requester build-7 --token "$token"',
  ],
  run: async ({ args, signal }) => {
    const reservations = reservationsOf(args);
    const said = args.text('condition');
    const condition = said === undefined ? undefined : conditionIn(said);
    const report = { condition, reason: args.text('reason') };
    const client = await connect({ args, signal });
    const rows = await forEachReservation(reservations, async (key): Promise<Released> => {
      const released = await client.release(key, report);
      return { resource: key.resource, requester: key.requester, released };
    });
    printRows(args.has('json'), rows, COLUMNS, '');
    return EXIT.done;
  },
};

export const reset: Command = {
  name: 'reset',
  summary: 'Ends all reservations and waits of the tenant',
  synopsis: 'reset [options]',
  details: 'It asks first. Definitions stay.',
  positionals: { min: 0, max: 0 },
  options: [{ name: 'yes', text: 'do not ask; needed without a terminal' }, JSON_OPTION, URL_OPTION],
  examples: ['holdfast reset', 'holdfast reset --yes'],
  run: async (call) => {
    const { args, signal } = call;
    const client = await connect(call);
    mayAsk(call, 'reset');
    await confirm(call, 'End all reservations and waits of this tenant?');
    const cleared = await client.reset({ signal });
    if (args.has('json')) printJson({ cleared });
    else print(`${cleared} ${cleared === 1 ? 'reservation' : 'reservations'} ended`);
    return EXIT.done;
  },
};
