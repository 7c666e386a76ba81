/** An icon beside a word that says the same. */
import { raw } from 'hono/html';
import { ICONS } from '../icons.ts';

export const Icon = ({ name }: { name: keyof typeof ICONS }) => (
  <svg class="icon" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
    {raw(ICONS[name])}
  </svg>
);
