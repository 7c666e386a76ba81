/**
 * Faults while callers wait: instances and Redis are killed or stopped, wake-ups are lost, callers disconnect in the
 * moment of a grant. Nothing is granted twice, nobody waits for what is free, no grant stays unclaimed
 * (docs/specification.md#waiting-lifetimes). FAULTS is the number of times that each of these happens.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { Killable } from '../../support/process.ts';
import { GRANTED_WITHIN_MS, SOON_MS, underLoad, WaitingLoad } from '../../support/waitingLoad.ts';

const ROUNDS = Number(process.env.FAULTS ?? 1);

const upTo = (ms: number) => pause(Math.random() * ms);
const oneOf = () => Math.floor(Math.random() * 2);

/**
 * Each fault happens under load to a service of its own, and is over when it returns. Those who wait must then be
 * granted within a time.
 */
const FAULTS: readonly [string, number, (load: WaitingLoad, service: Killable) => Promise<void>][] = [
  [
    'the instance of a long poll is killed in the moment of the grant',
    GRANTED_WITHIN_MS,
    async (load, service) => {
      const i = oneOf();
      await load.release(service.urls[1 - i] ?? '');
      await upTo(6);
      load.abandon(service.urls[i] ?? '');
      service.instance(i).kill('SIGKILL');
      await service.replace(i);
    },
  ],
  [
    'the instance that releases is killed in the moment of the release',
    GRANTED_WITHIN_MS,
    async (load, service) => {
      const i = oneOf();
      await load.release(service.urls[i] ?? '');
      await upTo(4);
      service.instance(i).kill('SIGKILL');
      await service.replace(i);
    },
  ],
  [
    'Redis is killed, and starts again with what it stored',
    SOON_MS,
    async (load, service) => {
      await load.release(service.urls[oneOf()] ?? '');
      await upTo(4);
      await service.crashRedis();
    },
  ],
  [
    'an instance stands still for a while',
    SOON_MS,
    async (_, service) => {
      const i = oneOf();
      service.instance(i).kill('SIGSTOP');
      await upTo(1500);
      service.instance(i).kill('SIGCONT');
    },
  ],
  [
    'wake-ups are lost',
    SOON_MS,
    async (load, service) => {
      for (let i = 0; i < 5; i++) {
        await load.release(service.urls[oneOf()] ?? '');
        await service.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
        await upTo(200);
      }
    },
  ],
  [
    'callers disconnect in the moment of a grant',
    GRANTED_WITHIN_MS,
    async (load, service) => {
      for (let i = 0; i < 4; i++) {
        await load.release(service.urls[oneOf()] ?? '');
        await upTo(6);
        load.hangUp(2);
      }
    },
  ],
];

// Most of the time all wait: side by side.
test.concurrent.each(FAULTS)(
  '%s',
  async (_, withinMs, fault) => {
    const service = await Killable.start();
    try {
      for (let round = 0; round < ROUNDS; round++)
        await underLoad(new WaitingLoad(service, withinMs), (load) => fault(load, service));
    } finally {
      await service.stop();
    }
  },
  60_000 + ROUNDS * 60_000,
);
