/**
 * More ways to ask: what their users pay, and that others pay nothing.
 */
import { match } from '../asks/match.ts';
import { sessions } from '../asks/sessions.ts';
import { resetAll, type Stage } from '../stage.ts';
import type { Table } from '../table.ts';

export async function asks(stage: Stage, table: Table): Promise<void> {
  await sessions(stage, table);
  await match(stage, table);
  await resetAll(stage, [stage.tenant]);
}
