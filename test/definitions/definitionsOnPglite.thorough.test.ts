/** Definitions survive on PGlite as on Postgres (definitions.test.ts). */
import { definitionsSurvive } from './survive.ts';

definitionsSurvive('PGlite');
