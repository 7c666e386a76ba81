/**
 * `npm run db:migrate`: brings the schema up to date as it is configured (a file .env in this folder counts).
 */
import { existsSync } from 'node:fs';

if (existsSync('.env')) process.loadEnvFile('.env');

await import('../src/migrate.ts');
