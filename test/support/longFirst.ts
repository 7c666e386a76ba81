/**
 * Runs the longest test files first, so that no worker starts one when the others are done. Files that keep a core busy
 * and files that mostly wait take turns, so that neither both cores wait nor all workers want one.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest that keep a core busy. The order of the other files does not matter. */
const BUSY = [
  'test/dashboard/account',
  'test/definitions/deaths',
  'test/model/waitingHistories',
  'test/dashboard/everyPage',
  'test/model/',
  'test/dashboard/live',
  'test/dashboard/byHand',
  'test/dashboard/resource',
  'test/dashboard/waiting',
  'test/http/overload',
  'test/dashboard/',
  'test/http/bodies',
  'test/engine/hog',
  'test/engine/waiting/asksHog',
  'test/store/',
  'test/telemetry/',
];

/** The longest that mostly wait: for leases that end, and for servers that are found dead. */
const WAITING = [
  'test/chaos/',
  'test/docs/examples',
  'test/topologies/',
  'test/waiting/faults/',
  'test/events/time',
  'test/jobs/schedule',
  'test/clients/',
  'test/client/cli/run',
  'test/client/holds/',
  'test/client/package/',
  'test/waiting/',
  'test/http/health',
  'test/events/streams',
  'test/engine/expiry/sweep',
];

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const [busy, waiting] = [among(sorted, BUSY), among(sorted, WAITING)];
    const longest = Array.from({ length: Math.max(busy.length, waiting.length) }, (_, i) => [busy[i], waiting[i]]);
    const first = new Set(longest.flat().filter((file) => file !== undefined));
    return [...first, ...sorted.filter((file) => !first.has(file))];
  }
}

/** The files that one of the paths names, in the order of the paths. */
function among(files: readonly TestSpecification[], paths: readonly string[]): TestSpecification[] {
  const named = new Set(paths.flatMap((path) => files.filter(({ moduleId }) => moduleId.includes(path))));
  return [...named];
}
