import { readFileSync } from 'node:fs';
import { inject, test } from 'vitest';
import { STEERED_CLOCK } from '../support/clock.ts';
import { startEngine } from '../support/engine.ts';
import { makeTenant } from '../support/service.ts';
import { run } from './waitingHistory.ts';
test('one', async () => {
  const history = JSON.parse(readFileSync(process.env.H ?? '', 'utf8'));
  const running = await startEngine(makeTenant(), inject('redisUrl'), { clock: STEERED_CLOCK }, history.cap === null ? {} : { reservations: history.cap });
  await run(running, history).finally(() => running.stop());
});
