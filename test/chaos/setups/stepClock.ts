/** Clocks of Redis that can be moved: a library that is preloaded into each Redis adds the ms that a file holds. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('clockShim.c', import.meta.url));

export interface Clocks {
  /** The environment of a Redis. Its clock is right at first, and stays as it is set when Redis is restarted. */
  envOf(name: string): Readonly<Record<string, string>>;
  /** Sets how far the clock of a Redis is ahead of the true time, in ms. */
  set(name: string, aheadMs: number): void;
}

/**
 * Compiles the library.
 * @param folder of the library and of the clocks' files
 * @returns null if this machine has no C compiler, or preloads no libraries
 */
export function makeClocks(folder: string): Clocks | null {
  const library = join(folder, 'clock.so');
  try {
    execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, SOURCE, '-ldl'], { stdio: 'ignore' });
  } catch {
    return null;
  }
  if (process.platform !== 'linux') return null;
  const fileOf = (name: string) => join(folder, `${name}.clock`);
  const set = (name: string, aheadMs: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(Math.round(aheadMs)));
    // Not truncated before: Redis has it mapped.
    writeFileSync(fileOf(name), bytes, { flag: 'r+' });
  };
  return {
    envOf: (name) => {
      writeFileSync(fileOf(name), Buffer.alloc(8), { flag: 'a' });
      return { LD_PRELOAD: library, HOLDFAST_CLOCK: fileOf(name) };
    },
    set,
  };
}
