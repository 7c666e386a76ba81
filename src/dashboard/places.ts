/**
 * The places of the dashboard, in the order of the navigation, each with the pages that it has as tabs.
 */
import type { Right } from '../domain/rights.ts';
import type { ICONS } from './icons.ts';
import { MY_NOTICES } from './paths.ts';

export interface PlacePage {
  readonly path: string;
  /** The name of its tab. */
  readonly name: string;
  /** The right to open it. */
  readonly right: Right;
}

export interface Place {
  readonly name: string;
  readonly icon: keyof typeof ICONS;
  /** True if it is for those who manage the tenant. */
  readonly isManaging: boolean;
  readonly pages: readonly PlacePage[];
}

const page = (path: string, name: string, right: Right): PlacePage => ({ path, name, right });

export const PLACES: readonly Place[] = [
  {
    name: 'Board',
    icon: 'board',
    isManaging: false,
    pages: [page('/dashboard', 'Board', 'read')],
  },
  {
    name: 'Mine',
    icon: 'mine',
    isManaging: false,
    pages: [page('/dashboard/mine', 'Mine', 'read'), page(MY_NOTICES, 'My notices', 'read')],
  },
  {
    name: 'Activity',
    icon: 'activity',
    isManaging: false,
    pages: [
      page('/dashboard/activity', 'History', 'read'),
      page('/dashboard/activity/live', 'Live', 'read'),
      page('/dashboard/activity/changes', 'Changes', 'audit'),
    ],
  },
  {
    name: 'Insight',
    icon: 'insight',
    isManaging: false,
    pages: [page('/dashboard/insight', 'Insight', 'read')],
  },
  {
    name: 'Resources',
    icon: 'resources',
    isManaging: true,
    pages: [page('/dashboard/resources', 'Resources', 'definitions')],
  },
  {
    name: 'Access',
    icon: 'access',
    isManaging: true,
    pages: [
      page('/dashboard/access', 'Members', 'members'),
      page('/dashboard/access/keys', 'Keys', 'keys'),
      page('/dashboard/access/tokens', 'Tokens', 'tokens'),
      page('/dashboard/access/wallboards', 'Wallboards', 'define'),
    ],
  },
  {
    name: 'Notices',
    icon: 'bell',
    isManaging: true,
    pages: [page('/dashboard/notices', 'Notices', 'settings')],
  },
  {
    name: 'Settings',
    icon: 'settings',
    isManaging: true,
    pages: [page('/dashboard/settings', 'Settings', 'settings')],
  },
];

/** Where pages were before → where they are. The more particular ones come first. */
export const MOVED: readonly (readonly [string, string])[] = [
  ['/dashboard/history', '/dashboard/activity'],
  ['/dashboard/live', '/dashboard/activity/live'],
  ['/dashboard/audit', '/dashboard/activity/changes'],
  ['/dashboard/members', '/dashboard/access'],
  ['/dashboard/keys', '/dashboard/access/keys'],
  ['/dashboard/tokens', '/dashboard/access/tokens'],
];
