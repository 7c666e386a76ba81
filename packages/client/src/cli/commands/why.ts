/** `holdfast why`: says who is in the way of a resource. */
import { type Command, JSON_OPTION, REQUESTER_OPTION, URL_OPTION } from '../command.ts';
import { connect, namedRequester } from '../connect.ts';
import { EXIT } from '../exitCodes.ts';
import { plain, print, printJson } from '../output.ts';
import { whyLines } from '../reason.ts';

export const why: Command = {
  name: 'why',
  summary: 'Says why resources are not free: who is in the way, and who is next',
  synopsis: 'why [options] <resource>…',
  details: `\
It looks at everything that a reserve needs: the slots, the resources above it in the tree, the resources that it takes
along, and the queue. The exit code is 0 if all of them are free, otherwise 1. It changes nothing.`,
  positionals: { min: 1, max: 500 },
  options: [
    { ...REQUESTER_OPTION, text: 'ask for this requester; default: $HOLDFAST_REQUESTER, or a new one' },
    { ...JSON_OPTION, text: 'print JSON for programs: the same as `holdfast check --json`' },
    URL_OPTION,
  ],
  examples: ['holdfast why staging', "holdfast why --json staging | jq -r '.[].reason.holders[].requester'"],
  run: async ({ args, signal }) => {
    const results = await (await connect({ args, signal })).check([...args.positionals], {
      requester: namedRequester(args),
      signal,
    });
    if (args.has('json')) printJson(results);
    else print(results.map((result) => whyLines(result).map(plain).join('\n  ')).join('\n'));
    return results.every(({ reservable }) => reservable === true) ? EXIT.done : EXIT.no;
  },
};
