/**
 * Mistakes in the conditions of slots (docs/specification.md#condition) that are planted into the scripts: a history
 * shows each.
 */
import { describe, expect, test } from 'vitest';
import { readModules } from '../../src/redis/bundle.ts';
import { STEERED_CLOCK } from '../support/clock.ts';
import { startEngine } from '../support/engine.ts';
import { run } from './history.ts';
import type { Registration } from './state.ts';
import type { GiveBack, History } from './steps.ts';

const MODULES = readModules();

interface Fault {
  readonly what: string;
  /** The module of lua/ that has the mistake; what it says, and what it says instead. */
  readonly module: string;
  readonly right: string;
  readonly wrong: string;
  readonly history: History;
}

const rig = (more: Partial<Registration> = {}): Registration => ({
  name: 'p',
  capacity: 2,
  blocks: [],
  treePath: [],
  afterUse: 'dirty',
  ...more,
});
const give = (report: GiveBack['report']): GiveBack => ({
  resource: 'p',
  requester: 'A',
  token: 'right',
  of: null,
  report,
});
const register = { do: 'register' as const, items: [rig()] };
const ready = { do: 'set condition' as const, name: 'p', condition: 'ready' as const };
const take = (condition?: 'dirty' | 'out', ttlSeconds?: number) => ({
  do: 'reserve' as const,
  items: [{ resource: 'p', requester: 'A', ...(condition && { condition }), ...(ttlSeconds && { ttlSeconds }) }],
});

const FAULTS: readonly Fault[] = [
  {
    what: 'a dirty slot that is handed to a user',
    module: 'slots/marks',
    right: "return has(CLEAN, counts.clean, name, slotNumber, capacity) and 'ready' or 'dirty'",
    wrong: "return 'ready'",
    history: [register, { do: 'reserve', items: [{ resource: 'p_0', requester: 'A' }] }],
  },
  {
    what: 'a slot that is not dirty after use',
    module: 'reservations/afterUse',
    right: "return isDirtied and current == 'ready' and 'dirty' or nil",
    wrong: 'return nil',
    history: [register, ready, take(), { do: 'unreserve', items: [give(null)] }, take()],
  },
  {
    what: "a cleaner's slot that becomes ready when its lease ends",
    module: 'reservations/afterUse',
    right: '  return said\nend',
    wrong: "  return said or 'ready'\nend",
    history: [register, take('dirty', 1), { do: 'wait', ms: 2000 }, take()],
  },
  {
    what: 'an `out` that a cleaner ends',
    module: 'reservations/afterUse',
    right: "if current == 'out' and asked ~= 'out' then",
    wrong: "if current == 'out' and asked == 'ready' then",
    history: [
      register,
      take('dirty'),
      { do: 'set condition', name: 'p_0', condition: 'out' },
      { do: 'unreserve', items: [give({ condition: 'ready', of: 'all' })] },
    ],
  },
  {
    what: 'a dirty slot that is handed out after a reset',
    module: 'verbs/reset',
    right: ', keys.clean\n',
    wrong: '\n',
    history: [register, ready, { do: 'reset' }, take()],
  },
  {
    what: 'a held slot that is not ready, and counts as ready',
    module: 'slots/slots',
    right: '  marks.account(record.pool, slot, change)\n',
    wrong: '',
    history: [register, take('dirty'), ready],
  },
  {
    what: 'a release of a plain form that forgets that its slot is dirty after use',
    module: 'reservations/texts',
    right: "own and own.hasConditions and codec.NO_DETAILS or ''",
    wrong: "''",
    history: [
      { do: 'register', items: [rig({ capacity: 1 })] },
      ready,
      take(),
      { do: 'unreserve', items: [give(null)] },
    ],
  },
  {
    what: 'a rollback that leaves a condition as it is',
    module: 'slots/slots',
    right: 'slot.restore(slot, before)',
    wrong: 'slotMap.noteChange(slot, before)',
    history: [
      { do: 'register', items: [rig({ afterUse: 'ready' })] },
      take(),
      {
        do: 'transaction',
        method: 'ALL_OR_NONE',
        items: [give({ condition: 'out', of: 'all' }), { resource: 'p_7', requester: 'A' }],
      },
    ],
  },
];

describe('a mistake in the conditions of slots is found', () => {
  test.each(FAULTS)('$what', async ({ module, right, wrong, history }) => {
    const source = MODULES.get(module) ?? '';
    expect(source.split(right)).toHaveLength(2);
    const sound = await startEngine();
    await run(sound, history).finally(() => sound.stop());
    const broken = await startEngine(undefined, undefined, {
      'frame/now': STEERED_CLOCK,
      [module]: source.replace(right, wrong),
    });
    await expect(run(broken, history).finally(() => broken.stop())).rejects.toThrow();
  });
});
