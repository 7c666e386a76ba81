/**
 * `holdfast export`: prints the registered resources as a file for `apply`. `holdfast import`: translates a file of
 * another tool into one.
 */
import type { Definition } from '../../types.ts';
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT } from '../exitCodes.ts';
import { fromBoskos, type Translation } from '../import/boskos.ts';
import { fromJenkins } from '../import/jenkins.ts';
import { readYaml } from '../lab/file.ts';
import { labText, shortened } from '../lab/write.ts';
import { namedIn } from '../nearest.ts';
import { print, printJson, say } from '../output.ts';

function withoutAttributes({ attributes, slotAttributes, ...item }: Definition): Definition {
  return item;
}

export const exportResources: Command = {
  name: 'export',
  summary: 'Prints the registered resources as a file for `apply`',
  synopsis: 'export [options]',
  details: `\
The file has what differs from the defaults. Attributes are left out unless you say --attributes: they may say how to
reach a device. \`apply\` leaves attributes as they are, if its file has none.`,
  positionals: { min: 0, max: 0 },
  options: [{ name: 'attributes', text: 'print attributes, too' }, JSON_OPTION, URL_OPTION],
  examples: ['holdfast export > lab.yaml', 'holdfast export --attributes > backup.yaml'],
  run: async ({ args, signal }) => {
    const client = await connect({ args, signal });
    const registered = await client.definitions({ signal });
    const items = args.has('attributes') ? registered : registered.map(withoutAttributes);
    if (args.has('json')) printJson(items.map(shortened));
    else if (items.length === 0) say('no resource is registered');
    else print(labText(items.map((item) => ({ item, comments: [] }))));
    return EXIT.done;
  },
};

const TOOLS: Readonly<Record<string, (root: unknown, file: string) => Translation>> = {
  jenkins: fromJenkins,
  boskos: fromBoskos,
};

export const importResources: Command = {
  name: 'import',
  summary: 'Translates resources of Jenkins or Boskos into a file for `apply`',
  synopsis: 'import [options] <jenkins|boskos> <file>',
  details: `\
jenkins reads the Configuration as Code of the plugin Lockable Resources (declaredResources), boskos the resources of
Boskos. It prints YAML, with comments where something has no counterpart, and calls no service. - is stdin. With --json,
the comments are on stderr.`,
  positionals: { min: 2, max: 2 },
  options: [JSON_OPTION],
  examples: ['holdfast import jenkins casc.yaml > lab.yaml', 'holdfast import boskos resources.yaml > lab.yaml'],
  run: async ({ args }) => {
    const [tool = '', file = ''] = args.positionals;
    const translate = namedIn(TOOLS, tool, 'jenkins or boskos');
    const { entries, head, tail } = translate(readYaml(file), file);
    if (args.has('json')) {
      printJson(entries.map(({ item }) => shortened(item)));
      const comments = [...head, ...entries.flatMap((entry) => entry.comments), ...tail];
      for (const line of comments.filter((one) => one !== '')) say(line);
    } else print(labText(entries, head, tail));
    return EXIT.done;
  },
};
