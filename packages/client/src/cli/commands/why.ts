/** `holdfast why`: says who is in the way of a resource. */
import type { Holdfast } from '../../index.ts';
import { fits } from '../../match.ts';
import type { Match } from '../../types.ts';
import { type Command, JSON_OPTION, REQUESTER_OPTION, URL_OPTION } from '../command.ts';
import { connect, namedRequester } from '../connect.ts';
import { EXIT, ExitError, usageError } from '../exitCodes.ts';
import { matchOf } from '../match.ts';
import { plain, print, printJson, say } from '../output.ts';
import { whyLines } from '../reason.ts';
import { MATCH_OPTION } from './reserving.ts';

/** The service looks at no more for a match. */
const MOST = 500;

/** A name that looks like labels: `os=android`. */
const IS_LABEL = /^[^=!]+!?=/;

/**
 * Lists the resources that a match could pick.
 * @throws ExitError badInput: there is none
 */
async function namesOf(match: Match, client: Holdfast, signal: AbortSignal): Promise<string[]> {
  const [[key, value] = ['', '']] = Object.entries(match).filter((pair) => typeof pair[1] === 'string');
  const definitions = await client.definitions({ label: key === '' ? undefined : `${key}=${value}`, signal });
  const found = definitions.filter(({ capacity, labels }) => capacity !== null && fits(labels ?? {}, match));
  if (found.length === 0) throw new ExitError(EXIT.badInput, 'no registered resource has these labels');
  return found.slice(0, MOST).map(({ name }) => name);
}

export const why: Command = {
  name: 'why',
  summary: 'Says why resources are not free: who is in the way, and who is next',
  synopsis: 'why [options] [<resource>…]',
  details: `\
It looks at everything that a reserve needs: the slots, the resources above it in the tree, the resources that it takes
along, and the queue. The exit code is 0 if all of them are free, with --match if one of them is; otherwise 1. It
changes nothing.`,
  positionals: { min: 0, max: MOST },
  options: [
    { ...MATCH_OPTION, text: 'instead of names: each resource that `run` could take for it' },
    { ...REQUESTER_OPTION, text: 'ask for this requester; default: $HOLDFAST_REQUESTER, or a new one' },
    { ...JSON_OPTION, text: 'print JSON for programs: the same as `holdfast check --json`' },
    URL_OPTION,
  ],
  examples: [
    'holdfast why staging',
    'holdfast why --match os=android',
    "holdfast why --json staging | jq -r '.[].reason.holders[].requester'",
  ],
  run: async ({ args, signal }) => {
    const match = matchOf(args.all('match'), '--match');
    const isNamed = args.positionals.length > 0;
    if (isNamed === (match !== undefined)) throw usageError('name resources, or use --match');
    const client = await connect({ args, signal });
    const names = match === undefined ? [...args.positionals] : await namesOf(match, client, signal);
    const results = await client.check(names, { requester: namedRequester(args), signal });
    if (args.has('json')) printJson(results);
    else print(results.map((result) => whyLines(result).map(plain).join('\n  ')).join('\n'));
    const areFree = results.map(({ reservable }) => reservable === true);
    if (match !== undefined) return areFree.includes(true) ? EXIT.done : EXIT.no;
    const label = names.find((name) => IS_LABEL.test(name));
    if (label !== undefined) say(`${label} was taken for a name. For labels: holdfast why --match ${label}`);
    return areFree.includes(false) ? EXIT.no : EXIT.done;
  },
};
