/** `holdfast watch`: prints changes as they happen. */
import type { HoldfastEvent } from '../../types.ts';
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT, usageError } from '../exitCodes.ts';
import { didYouMean } from '../nearest.ts';
import { plain, print, printJson, say } from '../output.ts';

type EventType = HoldfastEvent['type'];

/** All of them: the compiler misses one that is not here. */
const TYPES: Readonly<Record<EventType, true>> = {
  RESERVED: true,
  RENEWED: true,
  UNRESERVED: true,
  RESERVATION_EXPIRED: true,
  RESERVE_FAILED: true,
  UNRESERVE_FAILED: true,
  TRANSACTION_APPLIED: true,
  TRANSACTION_ROLLED_BACK: true,
  WAITING: true,
  WAIT_ENDED: true,
  RESET: true,
  CONDITION: true,
  ENDS_SOON: true,
  WANTED: true,
  BOOKED: true,
  BOOKING_CHANGED: true,
  BOOKING_CANCELLED: true,
  BOOKING_DELAYED: true,
  TIER_LIMIT_REACHED: true,
};

const isType = (text: string): text is EventType => Object.hasOwn(TYPES, text);

function typeOf(text: string): EventType {
  if (isType(text)) return text;
  const names = Object.keys(TYPES);
  throw usageError(`${text} is not a type of event${didYouMean(text, names) || `: ${names.join(', ')}`}`);
}

const concerns = ({ resource, changes }: HoldfastEvent, name: string | undefined) =>
  name === undefined || resource === name || (changes ?? []).some((change) => change.resource === name);

/** One line for people: time, what happened, to what, by whom. */
function lineOf({ timestamp, type, resource, requester, explanation, changes, note, actor }: HoldfastEvent): string {
  const what = resource ?? (changes ?? []).map((change) => `${change.resource}: ${change.explanation}`).join(', ');
  const reason = explanation === null || explanation === type ? '' : `(${explanation})`;
  const who = requester ?? changes?.[0]?.requester ?? '';
  const parts = [timestamp, type.padEnd(19), what, who, reason, actor ? `by ${actor}` : '', note ?? ''];
  return parts.filter((part) => part !== '').join('  ');
}

export const watch: Command = {
  name: 'watch',
  summary: 'Prints changes as they happen, until it is stopped',
  synopsis: 'watch [options]',
  details: `\
Each change is a line; with --json, a line of JSON. If the connection is lost, it connects again. Changes in between
are missing: messages on stderr say so.`,
  positionals: { min: 0, max: 0 },
  options: [
    { name: 'resource', value: '<name>', text: 'only changes of this resource' },
    { name: 'type', value: '<type>', multiple: true, text: 'only events of this type, such as RESERVED' },
    JSON_OPTION,
    URL_OPTION,
  ],
  examples: [
    'holdfast watch',
    'holdfast watch --resource printer',
    "holdfast watch --json --type RESERVED | jq -r '.requester'",
  ],
  run: async ({ args, signal }) => {
    const [name, given] = [args.text('resource'), args.all('type').map(typeOf)];
    const options = { signal, types: given.length === 0 ? undefined : given };
    let isConnected = false;
    const client = await connect({ args, signal }, () => (isConnected ? 'until it is stopped' : undefined));
    for await (const event of client.events(options)) {
      isConnected = true;
      if (event.type === 'CONNECTED') say('connected: changes are shown from here on');
      else if (event.type === 'DISCONNECTED') say('the connection is lost: changes are missing until it is back');
      else if (!concerns(event, name)) continue;
      else if (args.has('json')) printJson(event, 0);
      else print(plain(lineOf(event)));
    }
    return EXIT.done;
  },
};
