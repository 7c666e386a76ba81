/** Names of types of events for people: `Wait ended`. */
import type { EventType } from '../../domain/eventTypes.ts';

export const typeWords = (type: EventType): string =>
  `${type.charAt(0)}${type.slice(1).toLowerCase().replaceAll('_', ' ')}`;
