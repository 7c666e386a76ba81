/**
 * The keyboard shortcuts of the pages (assets/shortcuts.js). An element with `data-shortcut` says which keys lead to
 * it.
 */

/** Page → the keys that open it. */
export const KEYS_OF_PAGE: Readonly<Partial<Record<string, string>>> = {
  '/dashboard': 'g b',
  '/dashboard/mine': 'g y',
  '/dashboard/activity/live': 'g l',
  '/dashboard/resources': 'g d',
  '/dashboard/activity': 'g h',
  '/dashboard/insight': 'g i',
  '/dashboard/access/keys': 'g k',
  '/dashboard/access/tokens': 'g t',
  '/dashboard/access': 'g m',
  '/dashboard/notices': 'g n',
  '/dashboard/settings': 'g s',
  '/dashboard/activity/changes': 'g a',
};

/** The keys that work on every page, and what they do. */
export const COMMON_KEYS: readonly (readonly [string, string])[] = [
  ['/', 'Search or jump to anything; also Ctrl+K or ⌘K, from within a field too'],
  ['j', 'To the next row'],
  ['k', 'To the row before'],
  ['r', 'Reserve what is in the row'],
  ['b', 'Book what is in the row, or anything, for a later time'],
  ['e', 'Extend what is in the row'],
  ['x', 'Select the row'],
  ['.', 'Open the menu of the row'],
  ['1', 'First view of the Board; 2 and 3: the others'],
  ['?', 'Show these shortcuts'],
  ['Esc', 'Close what is open'],
];
