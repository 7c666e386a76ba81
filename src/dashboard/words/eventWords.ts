/** Names of types of events for people: `Wait ended`. */
import type { EVENT_TYPES } from '../../contract/events.ts';

export const typeWords = (type: (typeof EVENT_TYPES)[number]): string =>
  `${type.charAt(0)}${type.slice(1).toLowerCase().replaceAll('_', ' ')}`;
