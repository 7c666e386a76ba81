/** `holdfast export`: prints the registered resources as a file for `apply`. */
import type { Definition } from '../../types.ts';
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT } from '../exitCodes.ts';
import { labText, shortened } from '../lab/write.ts';
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
