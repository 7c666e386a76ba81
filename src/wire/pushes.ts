/**
 * The parts of an instance that answer when something happens in Redis: event streams and long polls. Both listen on
 * one bus.
 */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Engine } from '../engine/engine.ts';
import { Bus } from '../events/bus.ts';
import { Streams } from '../events/streams.ts';
import type { Subscriptions } from '../redis/client.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { LongPolls } from '../waiting/longPolls.ts';
import { onWaitEnded, streamsObserver } from './gauges.ts';

export interface Pushes {
  readonly streams: Streams;
  readonly calls: LongPolls;
  /** Answers long polls, ends streams, and refuses new streams. */
  leave(): void;
  /** Waits until Redis knows which calls have ended, and closes the connections for subscriptions. */
  close(): Promise<void>;
}

export function openPushes(
  { maxLongPolls }: Config,
  engine: Engine,
  subscriptions: Subscriptions,
  log: Logger,
  metrics: Metrics | null,
): Pushes {
  const bus = new Bus(subscriptions);
  const streams = new Streams(engine, bus, log, metrics && streamsObserver(metrics));
  const calls = new LongPolls(engine, bus, {
    maxLongPolls,
    log,
    onWaitEnded: metrics === null ? () => {} : onWaitEnded(metrics),
  });
  engine.handOver = calls.handOver;
  return {
    streams,
    calls,
    leave: () => {
      calls.leave();
      streams.leave();
    },
    close: async () => {
      streams.close();
      await calls.close();
      bus.close();
    },
  };
}
