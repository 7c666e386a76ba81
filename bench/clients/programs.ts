/**
 * The programs that use a client for `npm run bench:clients`. Each finds the service in HOLDFAST_URL and HOLDFAST_KEY,
 * and ends at the end of stdin. Arguments:
 *
 * - `cycles <callers> <seconds>`: so many callers share a client, and reserve and release a name of their own with
 *   `using`, after a second of warming up. Writes the number of cycles a second.
 * - `renew <holds>`: holds so many names with `using` and leases of 30 s, and writes a line when it has them.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Program {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** The share of the cycles of the first one that it should reach. */
  readonly atLeast?: number;
  /** The CPU that it may take to renew, in percent of a core. */
  readonly atMost?: number;
  /** A command that writes the CPU time of the import of the client, in ms. */
  readonly importMs?: readonly [string, ...string[]];
}

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
/** Debian's: the packages of apt are there. */
const PYTHON = '/usr/bin/python3';
const IMPORT = 'from time import process_time as now; t = now(); import holdfast; print((now() - t) * 1000)';
const SOURCES = fileOf('../../packages/python/src');

/** Builds the program of the Go client. @returns its file */
function builtGo(): string {
  const file = fileOf('../../node_modules/.cache/bench-go');
  execFileSync('go', ['build', '-o', file, '.'], { cwd: fileOf('go') });
  return file;
}

export const PROGRAMS: readonly Program[] = [
  { name: 'typescript', command: [process.execPath, '--import', 'tsx', fileOf('typescript.ts')] },
  {
    name: 'python',
    command: [PYTHON, fileOf('python.py')],
    atLeast: 0.5,
    atMost: 5,
    importMs: [PYTHON, '-c', `import sys; sys.path.insert(0, ${JSON.stringify(SOURCES)}); ${IMPORT}`],
  },
  {
    name: 'go',
    get command(): [string] {
      return [builtGo()];
    },
    atLeast: 1,
    atMost: 2,
  },
];
