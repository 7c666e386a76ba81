/** Definitions survive on Postgres. On PGlite, which takes four times the CPU: definitionsOnPglite.thorough.test.ts. */
import { definitionsSurvive } from './survive.ts';

definitionsSurvive('Postgres');
