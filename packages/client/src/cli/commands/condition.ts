/** `holdfast condition`: takes resources out of service, marks them as dirty, and brings them back. */
import type { Condition, ConditionResult } from '../../types.ts';
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT, usageError } from '../exitCodes.ts';
import { didYouMean, shown } from '../nearest.ts';
import { printRows } from '../output.ts';

const CONDITIONS: readonly Condition[] = ['ready', 'dirty', 'out'];

const COLUMNS = {
  RESOURCE: ({ resource }: ConditionResult) => resource,
  CONDITION: ({ condition }: ConditionResult) => condition,
  STATUS: ({ explanation }: ConditionResult) => explanation.toLowerCase(),
};

/** @throws ExitError of wrong use */
export function conditionIn(text: string): Condition {
  const found = CONDITIONS.find((one) => one === text);
  if (found !== undefined) return found;
  throw usageError(
    `${shown(text)} is not a condition${didYouMean(text, CONDITIONS) || '; they are ready, dirty and out'}`,
  );
}

export const condition: Command = {
  name: 'condition',
  summary: 'Takes resources out of service, and brings them back',
  synopsis: 'condition [options] <resource>… <ready|dirty|out>',
  details: `\
out: nobody gets it but who repairs it. dirty: nobody gets it but \`holdfast clean\`. ready: back in service. The name of
a pool means all its slots. Whoever holds it keeps it. The key needs the permission full.`,
  positionals: { min: 2, max: 501 },
  options: [
    { name: 'reason', value: '<text>', text: 'why, for people: shown to those who want it' },
    JSON_OPTION,
    URL_OPTION,
  ],
  examples: [
    "holdfast condition phone1 out --reason 'display dark'",
    'holdfast condition phones_3 phones_4 dirty',
    'holdfast condition phone1 ready',
  ],
  run: async ({ args, signal }) => {
    const wanted = conditionIn(args.positionals.at(-1) ?? '');
    const resources = args.positionals.slice(0, -1);
    const client = await connect({ args, signal });
    const results = await client.setCondition(resources, wanted, { reason: args.text('reason'), signal });
    printRows(args.has('json'), results, COLUMNS, '');
    return results.every(({ status }) => status !== 'NOT_VALID') ? EXIT.done : EXIT.badInput;
  },
};
