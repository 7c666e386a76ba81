/**
 * `npm run db:migrate`: updates the schema of the configured database. Reads a file .env in this folder.
 */
import { existsSync } from 'node:fs';

if (existsSync('.env')) process.loadEnvFile('.env');

await import('../src/migrate.ts');
