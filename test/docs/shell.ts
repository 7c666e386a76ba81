/** A shell that runs the blocks of a page one after the other, in an empty folder. Its variables stay. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/until.ts';

/** No block takes longer. */
const DEADLINE_MS = 60_000;

export interface Shell {
  readonly folder: string;
  /**
   * Runs commands to their end.
   * @param fails whether they must fail; they cannot set variables then
   * @returns what they printed to stdout
   * @throws if they fail, or do not fail, with what they printed to stderr
   */
  run(commands: string, fails?: boolean): Promise<string>;
  /** Starts commands that run until the shell closes. @returns reads what they have printed so far */
  start(commands: string): () => string;
  close(): Promise<void>;
}

export function openShell(env: Readonly<Record<string, string>>): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-page-'));
  const notes = mkdtempSync(join(tmpdir(), 'holdfast-notes-'));
  const { PATH = '', HOME = '' } = process.env;
  // A group of its own, so that closing it ends what it has started.
  const child = spawn('bash', ['-eu', '-o', 'pipefail'], {
    cwd: folder,
    env: { HOME, ...env, PATH: `${env.PATH ?? ''}:${PATH}` },
    detached: true,
  });
  const closed = once(child, 'close');
  let told = '';
  child.stdout.on('data', (text) => {
    told += text;
  });
  child.stdin.on('error', () => {}); // A failed block ends the shell.
  let count = 0;
  const write = (commands: string) => {
    count += 1;
    const file = join(notes, String(count));
    writeFileSync(file, commands);
    writeFileSync(`${file}.out`, '');
    writeFileSync(`${file}.err`, '');
    return { file, end: `end of ${count}\n`, read: (which: string) => readFileSync(`${file}.${which}`, 'utf8') };
  };
  return {
    folder,
    async run(commands, fails = false) {
      const { file, end, read } = write(commands);
      const source = fails ? `! bash -eu -o pipefail ${file}` : `. ${file}`;
      child.stdin.write(`{ ${source}; } > ${file}.out 2> ${file}.err < /dev/null\necho '${end.trim()}'\n`);
      await Promise.race([until(`the end of ${commands}`, () => told.endsWith(end), DEADLINE_MS), closed]);
      if (!told.endsWith(end))
        throw new Error(`${fails ? 'it did not fail' : 'it failed'}: ${commands}${read('out')}${read('err')}`);
      return read('out');
    },
    start(commands) {
      const { file, read } = write(commands);
      child.stdin.write(`{ . ${file}; } > ${file}.out 2>&1 < /dev/null &\n`);
      return () => read('out');
    },
    async close() {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL');
      } catch {
        // It has ended.
      }
      await closed;
      for (const made of [folder, notes]) rmSync(made, { recursive: true, force: true });
    },
  };
}
