/** `holdfast register`: registers resources from a file of YAML or JSON. */
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT, usageError } from '../exitCodes.ts';
import { readResources } from '../lab/file.ts';
import { printRows } from '../output.ts';
import { COLUMNS } from './definitions.ts';

export const register: Command = {
  name: 'register',
  summary: 'Registers pools, blockers, trees and labels from a file',
  synopsis: 'register [options] -f <file>',
  details: `\
All resources of the file are registered, or none. To register again changes nothing, or changes what the file says.
\`holdfast apply\` shows the changes first, and takes files of any length.
The file is a list, in YAML or JSON:

  - name: phones
    capacity: 10
    labels: {os: android}
  - name: Room
    capacity: 3
    treePath: House>Floor1
    blocks: [Projector]`,
  positionals: { min: 0, max: 0 },
  options: [{ name: 'file', short: 'f', value: '<file>', text: 'YAML or JSON; - is stdin' }, JSON_OPTION, URL_OPTION],
  examples: [
    'holdfast register -f resources.yaml',
    "echo '{name: phones, capacity: 10}' | holdfast register -f -",
    'holdfast definitions --json > backup.json; holdfast register -f backup.json',
  ],
  run: async ({ args, signal }) => {
    const file = args.text('file');
    if (file === undefined) throw usageError('register needs a file: holdfast register -f <file>');
    const client = await connect({ args, signal });
    const registered = await client.register(readResources(file), { signal });
    printRows(args.has('json'), registered, COLUMNS, 'nothing to register');
    return EXIT.done;
  },
};
