/** `holdfast reset`: ends all reservations of the tenant. */
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { confirm, mayAsk } from '../confirm.ts';
import { connect } from '../connect.ts';
import { EXIT } from '../exitCodes.ts';
import { print, printJson } from '../output.ts';

export const reset: Command = {
  name: 'reset',
  summary: 'Ends all reservations and waits of the tenant',
  synopsis: 'reset [options]',
  details: 'It asks first. Definitions stay.',
  positionals: { min: 0, max: 0 },
  options: [{ name: 'yes', text: 'do not ask; needed without a terminal' }, JSON_OPTION, URL_OPTION],
  examples: ['holdfast reset', 'holdfast reset --yes'],
  run: async (call) => {
    const { args, signal } = call;
    const client = await connect(call);
    mayAsk(call, 'reset');
    await confirm(call, 'End all reservations and waits of this tenant?');
    const cleared = await client.reset({ signal });
    if (args.has('json')) printJson({ cleared });
    else print(`${cleared} reservations ended`);
    return EXIT.done;
  },
};
