/** The least that a production instance needs, for .env.example and docs/configuration.md. */
export const PRODUCTION = {
  HOST: '0.0.0.0',
  PORT: '8080',
  METRICS_PORT: '9464',
  REDIS_URL: 'redis://default:password@redis:6379',
  DATABASE_URL: 'postgres://holdfast:password@postgres:5432/holdfast',
  KEY_SECRET: '<openssl rand -hex 32>',
  PUBLIC_URL: 'https://holdfast.example.com',
  OIDC_ISSUER: 'https://id.example.com',
  OIDC_CLIENT_ID: 'holdfast',
  OIDC_CLIENT_SECRET: '<from the provider>',
  ADMINS: 'you@example.com',
  TRUSTED_PROXIES: '1',
};
