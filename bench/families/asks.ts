/**
 * More ways to ask: what their users pay, and that others pay nothing.
 */
import { count } from '../asks/count.ts';
import { match } from '../asks/match.ts';
import { sessions } from '../asks/sessions.ts';
import { shared } from '../asks/shared.ts';
import { resetAll, type Stage } from '../stage.ts';
import type { Table } from '../table.ts';

export async function asks(stage: Stage, table: Table): Promise<void> {
  for (const one of [count, shared, sessions, match]) {
    await one(stage, table);
    await resetAll(stage, [stage.tenant]);
  }
}
