/**
 * What is wider or higher than a small screen, to be scrolled by itself, by keyboard too.
 */
import type { Child } from 'hono/jsx';

export const Scroll = ({ label, children }: { label: string; children: Child }) => (
  <section class="scroll" tabindex={0} aria-label={label}>
    {children}
  </section>
);
