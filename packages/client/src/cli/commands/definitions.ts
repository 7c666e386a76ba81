/** `holdfast definitions`: lists registered resources. */
import type { Definition } from '../../types.ts';
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT } from '../exitCodes.ts';
import { printRows } from '../output.ts';

export const labelsText = (labels: Readonly<Record<string, string>> = {}): string =>
  Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(' ');

export const COLUMNS = {
  NAME: ({ name }: Definition) => name,
  CAPACITY: ({ capacity, group }: Definition) => (group ? 'group' : String(capacity ?? '')),
  BELOW: ({ treePath }: Definition) => treePath ?? '',
  BLOCKS: ({ blocks }: Definition) => blocks.join(', '),
  LABELS: ({ labels }: Definition) => labelsText(labels),
};

export const definitions: Command = {
  name: 'definitions',
  summary: 'Lists the registered resources',
  synopsis: 'definitions [options]',
  positionals: { min: 0, max: 0 },
  options: [
    { name: 'label', value: '<label>=<value>', text: 'only resources with this label' },
    { ...JSON_OPTION, text: 'print JSON, which `holdfast register` takes' },
    URL_OPTION,
  ],
  examples: [
    'holdfast definitions',
    'holdfast definitions --label os=android',
    'holdfast definitions --json > resources.json',
  ],
  run: async ({ args, signal }) => {
    const rows = await (await connect({ args, signal })).definitions({ label: args.text('label'), signal });
    printRows(args.has('json'), rows, COLUMNS, 'no resource is registered');
    return EXIT.done;
  },
};
