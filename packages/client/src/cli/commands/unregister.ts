/** `holdfast unregister`: deletes definitions. */
import { HoldfastError } from '../../errors.ts';
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT } from '../exitCodes.ts';
import { printRows } from '../output.ts';

interface Deleted {
  readonly name: string;
  readonly deleted: boolean;
  /** Why it was kept. */
  readonly why: string | null;
}

const COLUMNS = {
  NAME: ({ name }: Deleted) => name,
  STATUS: ({ deleted, why }: Deleted) => (deleted ? 'deleted' : (why ?? '')),
};

/** The service keeps resources that are held, or have others below them. */
const KEPT = /^(REFUSED|NOT_REGISTERED)$/;

export const unregister: Command = {
  name: 'unregister',
  summary: 'Deletes registered resources',
  synopsis: 'unregister [options] <name>…',
  details: `\
A resource that is held is kept, and so is one with resources below it, unless --cascade is given. The others are
deleted all the same, and the exit code is 1.`,
  positionals: { min: 1, max: 500 },
  options: [{ name: 'cascade', text: 'delete the resources below them, too' }, JSON_OPTION, URL_OPTION],
  examples: ['holdfast unregister phone-7', 'holdfast unregister --cascade House'],
  run: async ({ args, signal }) => {
    const [client, cascade] = [await connect({ args, signal }), args.has('cascade')];
    const rows: Deleted[] = [];
    // One after the other: the resources below a name may be among the arguments, too.
    for (const name of args.positionals) {
      try {
        for (const deleted of await client.unregister(name, { cascade, signal }))
          rows.push({ name: deleted, deleted: true, why: null });
      } catch (error) {
        if (!(error instanceof HoldfastError) || !KEPT.test(error.code)) throw error;
        if (!rows.some((row) => row.name === name)) rows.push({ name, deleted: false, why: error.message });
      }
    }
    printRows(args.has('json'), rows, COLUMNS, '');
    return rows.every(({ deleted }) => deleted) ? EXIT.done : EXIT.no;
  },
};
