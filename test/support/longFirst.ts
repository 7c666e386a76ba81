/**
 * Runs the longest test files first, so that no worker starts one when the others are done.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first. The order of the other files does not matter. */
const LONG = [
  'test/dashboard/account.test.ts',
  'test/dashboard/live.test.ts',
  'test/dashboard/everyPage.test.ts',
  'test/definitions/deaths.test.ts',
  'test/events/time.test.ts',
  'test/http/overload.test.ts',
  'test/http/bodies.test.ts',
  'test/jobs/schedule.test.ts',
  'test/topologies/',
  'test/waiting/faults/',
  'test/model/',
  'test/client/cli/run',
  'test/client/holds/',
  'test/client/package/',
  'test/engine/waiting/asksHog.test.ts',
  'test/engine/hog.test.ts',
  'test/http/health.test.ts',
  'test/start.test.ts',
  'test/events/streams.test.ts',
  'test/engine/expiry/sweep.test.ts',
  'test/store/',
  'test/telemetry/',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const found = LONG.findIndex((path) => moduleId.includes(path));
  return found === -1 ? LONG.length : found;
};

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
