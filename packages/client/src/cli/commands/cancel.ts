/** `holdfast cancel`: ends the waits of a requester. */
import { type Command, JSON_OPTION, REQUESTER_OPTION, URL_OPTION } from '../command.ts';
import { connect, namedRequester } from '../connect.ts';
import { EXIT, usageError } from '../exitCodes.ts';
import { printRows } from '../output.ts';

interface Cancelled {
  readonly resource: string;
  readonly requester: string;
  /** False: it did not wait. */
  readonly cancelled: boolean;
}

const COLUMNS = {
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
    printRows(args.has('json'), await Promise.all(args.positionals.map(cancelOne)), COLUMNS, '');
    return EXIT.done;
  },
};
