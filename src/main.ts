/**
 * The program of the service. Signal handlers are in place before anything else is loaded.
 */
import './signals.ts';
import { launch } from './launch.ts';

await launch(process.argv.slice(2), process.env, {});
