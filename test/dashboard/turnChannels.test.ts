/** The form that joins a queue says how the person learns of their turn (docs/specification.md#reserving-by-hand). */
import { expect, test } from 'vitest';
import { ReserveButtons } from '../../src/dashboard/components/reserveButtons.tsx';

const textOf = (told: readonly string[] | null) =>
  `${ReserveButtons({ canTake: false, email: null, turn: null, told, end: null, back: '/dashboard' })}`;

test('names the channels that reach the person with no page open, or says that there are none', () => {
  expect(textOf(['e-mail', 'push'])).toContain('It is told to you by e-mail and push, also with no page open.');
  expect(textOf([])).toContain('With no page open, nothing tells you that it is your turn.');
  expect(textOf(null)).not.toContain('no page open');
});
