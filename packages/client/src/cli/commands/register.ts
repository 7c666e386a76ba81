/** `holdfast register`: registers resources from a file of YAML or JSON. */
import { parse } from 'yaml';
import type { Registration } from '../../types.ts';
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect, readText } from '../connect.ts';
import { EXIT, ExitError, usageError } from '../exitCodes.ts';
import { printRows } from '../output.ts';
import { COLUMNS } from './definitions.ts';

/** The service checks the fields: here it is a list of objects. */
function isList(value: unknown): value is Registration[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);
}

/** JSON is YAML, too. */
function read(file: string): Registration[] {
  const text = readText(file);
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    const [reason = ''] = error instanceof Error ? error.message.split('\n') : [];
    throw new ExitError(EXIT.badInput, `${file} is neither YAML nor JSON: ${reason.replace(/:$/, '')}`);
  }
  const list = Array.isArray(value) ? value : [value];
  if (isList(list)) return list;
  throw new ExitError(EXIT.badInput, `${file} has to be a list of resources, such as: - name: printer`);
}

export const register: Command = {
  name: 'register',
  summary: 'Registers pools, blockers, trees and labels from a file',
  synopsis: 'register [options] -f <file>',
  details: `\
All resources of the file are registered, or none. To register again changes nothing, or changes what the file says.
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
    printRows(args.has('json'), await connect(args).register(read(file), { signal }), COLUMNS, 'nothing to register');
    return EXIT.done;
  },
};
