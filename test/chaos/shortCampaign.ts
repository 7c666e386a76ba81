/** A short round with a fixed seed, as a test. */
import { describe, expect, inject, test } from 'vitest';
import { FAULTS } from './faults/all.ts';
import { show } from './report/show.ts';
import { shortest } from './report/table.ts';
import { runRound } from './round.ts';
import { SETUPS } from './setups/start.ts';

const CALLERS = 6;

/** Declares the test of one setup. */
export function shortCampaign(name: string, seed: string, seconds: number): void {
  describe(`${seconds} seconds of faults on the setup ${name}`, () => {
    test('breaks no promise', { timeout: 240_000 }, async () => {
      const setup = SETUPS.find((one) => one.name === name);
      if (setup === undefined) throw new Error(`there is no setup ${name}`);
      const program = { name: 'the source, built for tests', command: [inject('programs').service] };
      const plan = { setup, seed, faults: FAULTS, callers: CALLERS, faultsMs: seconds * 1000, program };
      const lines: string[] = [];
      const { history, violations, troubles } = await runRound(plan, (line) => lines.push(line));
      const texts = violations.map((one) => `${one.check}: ${one.what}\n${show(shortest(history, one), one)}`);
      const failures = [...troubles, ...texts];
      if (failures.length > 0) throw new Error([...lines, ...failures].join('\n'));
      expect(history.faults.length).toBeGreaterThan(0);
      expect(history.calls.length).toBeGreaterThan(100);
    });
  });
}
