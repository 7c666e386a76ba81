/** `holdfast check`: says whether resources can be reserved now. */
import type { CheckResult } from '../../types.ts';
import { type Command, JSON_OPTION, REQUESTER_OPTION, URL_OPTION } from '../command.ts';
import { connect, namedRequester } from '../connect.ts';
import { EXIT } from '../exitCodes.ts';
import { left } from '../moments.ts';
import { printRows } from '../output.ts';

const stateOf = ({ reservable, reserved, heldByRequester, condition, requester, reason }: CheckResult): string => {
  if (heldByRequester === true) return 'yours';
  if (condition !== undefined && requester === null) return condition === 'out' ? 'out of service' : 'needs cleaning';
  if (reservable === true) return 'free';
  // Nobody holds it: all of its slots are out of service or dirty, or it is no resource that can be reserved.
  if (reservable === false && !reason?.holders.length) return 'not available';
  return reserved ? 'held' : 'not available';
};

/** The only holder that is in the way. */
function holderOf({ reason, reserved }: CheckResult): string {
  const [first, ...others] = reason?.holders ?? [];
  if (first === undefined) return '';
  const isOne = others.every(({ requester }) => requester === first.requester) && reason?.more === 0;
  const who = isOne ? first.requester : `${first.requester} and others`;
  return reserved ? who : `${who} (${reason?.resource})`;
}

/** When the first holder's lease ends. */
function endOf({ reason, heldByRequester, expiresAt }: CheckResult): string {
  if (heldByRequester === true) return left(expiresAt);
  const [first] = reason?.holders ?? [];
  return first?.since == null ? '' : left(first.until);
}

const noteOf = ({ note, reason, conditionReason }: CheckResult): string =>
  conditionReason ?? note ?? reason?.holders[0]?.note ?? '';

const COLUMNS = {
  RESOURCE: ({ resource }: CheckResult) => resource,
  STATE: stateOf,
  'HELD BY': (result: CheckResult) =>
    result.holders === undefined || result.holders === 1
      ? holderOf(result) || (result.requester ?? '')
      : `${result.holders} readers`,
  'ENDS IN': endOf,
  WAITING: ({ waiting }: CheckResult) => String(waiting),
  NOTE: noteOf,
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
    const client = await connect({ args, signal });
    const results = await client.check([...args.positionals], { requester: namedRequester(args), signal });
    printRows(args.has('json'), results, COLUMNS, '');
    return results.every(({ reservable }) => reservable === true) ? EXIT.done : EXIT.no;
  },
};
