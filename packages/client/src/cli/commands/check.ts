/** `holdfast check`: says whether resources can be reserved now. */
import type { CheckResult } from '../../types.ts';
import { type Command, JSON_OPTION, REQUESTER_OPTION, URL_OPTION } from '../command.ts';
import { connect, namedRequester } from '../connect.ts';
import { EXIT } from '../exitCodes.ts';
import { printRows } from '../output.ts';
import { left } from '../times.ts';

const stateOf = ({ reservable, reserved, heldByRequester }: CheckResult): string => {
  if (heldByRequester === true) return 'yours';
  if (reservable === true) return 'free';
  return reserved ? 'held' : 'not available';
};

/** When the lease ends. Of a resource that another one takes along (`system:<name>`), the end is not known. */
function endOf({ reserved, expiresAt, requester }: CheckResult): string {
  const isKnown = expiresAt !== null || (requester !== null && !requester.startsWith('system:'));
  return reserved && isKnown ? left(expiresAt) : '';
}

const COLUMNS = {
  RESOURCE: ({ resource }: CheckResult) => resource,
  STATE: stateOf,
  'HELD BY': ({ requester, holders }: CheckResult) =>
    holders === undefined || holders === 1 ? (requester ?? '') : `${holders} readers`,
  'ENDS IN': endOf,
  WAITING: ({ waiting }: CheckResult) => String(waiting),
  NOTE: ({ note }: CheckResult) => note ?? '',
};

export const check: Command = {
  name: 'check',
  summary: 'Says whether resources can be reserved now, and who holds them',
  synopsis: 'check [options] <resource>…',
  details: 'The exit code is 0 if a reserve of each of them would succeed now, otherwise 1. It changes nothing.',
  positionals: { min: 1, max: 500 },
  options: [
    { ...REQUESTER_OPTION, text: 'ask for this requester; default: $HOLDFAST_REQUESTER, or a new one' },
    JSON_OPTION,
    URL_OPTION,
  ],
  examples: ['holdfast check printer', 'holdfast check staging && echo free', 'holdfast check --json phone1 phone2'],
  run: async ({ args, signal }) => {
    const client = connect(args);
    const results = await client.check([...args.positionals], { requester: namedRequester(args), signal });
    printRows(args.has('json'), results, COLUMNS, '');
    return results.every(({ reservable }) => reservable === true) ? EXIT.done : EXIT.no;
  },
};
