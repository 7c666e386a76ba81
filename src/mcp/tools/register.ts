/** The tool `register`: says what resources there are (docs/specification.md#tools). */
import { z } from 'zod';
import { Definition, Registration } from '../../contract/definitions.ts';
import { register as carryOut } from '../../operations/definitions.ts';
import { tool } from '../tool.ts';
import { lines } from '../words.ts';

export const register = tool({
  name: 'register',
  title: 'Register a resource',
  description:
    'Register a resource, or replace its definition: how many slots it has (a pool of 3 browsers has capacity 3), what it belongs to, its labels. Most resources need no registration: just reserve them by name. A definition that exists is replaced for everybody, so look with list_resources first. Reservations keep their slots.',
  right: 'define',
  isDestructive: true,
  // Without its id, by which JSON Schema would only refer to it.
  input: Registration.clone(Registration.def),
  output: z.object({ resources: z.array(Definition) }),
  run: async ({ deps, credential }, input) => {
    const { result, quota } = await carryOut(deps, credential, [input]);
    const texts = result.map(({ name, capacity, bookable }) => {
      const what = capacity === null ? 'group' : `capacity ${capacity}`;
      return `${JSON.stringify(name)}: ${what}${bookable === true ? ', bookable' : ''}`;
    });
    return { message: lines('Registered:', texts), fields: { resources: result }, quota };
  },
});
