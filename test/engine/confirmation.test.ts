/**
 * Replicas are asked about a script's writes on the connection that sent it (src/redis/replication.ts).
 */
import { expect, test } from 'vitest';
import { Replication } from '../../src/redis/replication.ts';
import { observeScripts } from '../../src/redis/scripts.ts';
import { startEngine } from '../support/engine.ts';
import { reserve } from '../support/verbs.ts';

test.each([1, 200])(
  'a reply with %i results is confirmed in the turn of the event loop in which it came',
  async (count) => {
    const { engine, credential, stop } = await startEngine();
    /** Turns of the event loop since the last reply. */
    let turns = 0;
    const turnsBefore: number[] = [];
    observeScripts(engine.redis, () => () => {
      turns = 0;
      setImmediate(() => turns++);
    });
    class Observed extends Replication {
      override confirm(key: string): Promise<void> {
        turnsBefore.push(turns);
        return super.confirm(key);
      }
    }
    const items = Array.from({ length: count }, (_, i) => ({ resource: `r${i}`, requester: 'ann' }));
    await reserve({ ...engine, replication: new Observed(engine.redis, 0) }, credential, items);
    expect(turnsBefore).toEqual([0]);
    stop();
  },
);
