/**
 * The demo data: what a small test lab has, each with the label `demo=true`, and who holds some of it.
 */
export interface DemoResource {
  readonly name: string;
  readonly group?: true;
  readonly capacity?: number;
  /** The name of the group that it is in. */
  readonly parent?: string;
  readonly blocks?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly bookable?: true;
}

const phone = (name: string, os: string, version: string, site: string): DemoResource => ({
  name,
  parent: 'phones',
  labels: { os, version, site },
});

const environment = (name: string, region: string, blocks: readonly string[] = []): DemoResource => ({
  name,
  parent: 'environments',
  blocks,
  labels: { region },
});

/** Parents come before what is in them, and blockers before what takes them along. */
export const DEMO: readonly DemoResource[] = [
  { name: 'phones', group: true },
  phone('galaxy-s23', 'android', '13', 'oslo'),
  phone('galaxy-s24', 'android', '14', 'berlin'),
  phone('iphone-15', 'ios', '17', 'oslo'),
  phone('iphone-16', 'ios', '18', 'berlin'),
  phone('pixel-7', 'android', '13', 'oslo'),
  phone('pixel-8', 'android', '14', 'berlin'),
  phone('pixel-9', 'android', '15', 'porto'),
  { name: 'ipad-air', parent: 'phones', labels: { os: 'ios', version: '18', site: 'porto' } },
  { name: 'environments', group: true },
  { name: 'staging-database', parent: 'environments' },
  environment('load-test', 'eu', ['staging-database']),
  environment('qa', 'eu'),
  environment('staging', 'eu', ['staging-database']),
  environment('staging-us', 'us'),
  { name: 'browserstack', capacity: 3 },
  { name: 'emulators', capacity: 6, labels: { os: 'android' } },
  { name: 'gpu', capacity: 8, bookable: true },
  { name: 'oscilloscope', labels: { site: 'berlin' }, bookable: true },
  { name: 'test-bench-1', labels: { site: 'oslo' }, bookable: true },
];

export interface DemoHold {
  readonly resource: string;
  readonly requester: string;
  readonly minutes: number;
  readonly note: string;
  readonly count?: number;
  /** True if it waits for it. */
  readonly isWait?: true;
}

export const DEMO_HOLDS: readonly DemoHold[] = [
  { resource: 'iphone-15', requester: 'demo-chen', minutes: 45, note: 'push notifications' },
  { resource: 'pixel-8', requester: 'demo-bo', minutes: 90, note: 'camera crash' },
  { resource: 'staging', requester: 'demo-ci-4182', minutes: 43, note: 'release 2.14, smoke tests' },
  { resource: 'gpu', requester: 'demo-ci-train', minutes: 60, note: 'nightly training', count: 4 },
  { resource: 'browserstack', requester: 'demo-ci-web', minutes: 25, note: 'checkout tests', count: 3 },
  { resource: 'staging', requester: 'demo-chen', minutes: 30, note: 'demo for sales', isWait: true },
  { resource: 'browserstack', requester: 'demo-ci-4193', minutes: 20, note: 'checkout tests', isWait: true },
];

/** Name of an example → the resources that it registers by one click. */
export const EXAMPLES = {
  phone: ['pixel-8'],
  environment: ['staging-database', 'staging'],
  pool: ['emulators'],
} as const;
export type Example = keyof typeof EXAMPLES;
