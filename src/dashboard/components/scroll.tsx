/**
 * A region that scrolls by itself, also by keyboard: for content larger than a small screen.
 */
import type { Child } from 'hono/jsx';

export const Scroll = ({ label, children }: { label: string; children: Child }) => (
  <section class="scroll" tabindex={0} aria-label={label}>
    {children}
  </section>
);
