/**
 * Finds the path that a caller meant who wrote it in another letter case: paths are case-sensitive.
 */
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { AppEnv } from './env.ts';

interface Known {
  readonly method: string;
  readonly segments: readonly string[];
}

const isParameter = (segment: string) => segment.startsWith(':');

/**
 * @param app its paths are read at the first call, when all routes are declared
 * @returns a function that finds the path that differs from a given one by case only, and has the method; null if there
 * is none
 */
export function meantPath(app: OpenAPIHono<AppEnv>): (path: string, method?: string) => string | null {
  let known: readonly Known[] | undefined;
  return (path, wanted) => {
    known ??= app.routes
      .filter((route) => !route.path.includes('*'))
      .map((route) => ({ method: route.method, segments: route.path.split('/') }));
    const given = path.split('/');
    const isMeant = ({ method, segments }: Known) =>
      (wanted === undefined || method === 'ALL' || method === wanted) &&
      segments.length === given.length &&
      segments.every((segment, i) => isParameter(segment) || segment.toLowerCase() === given[i]?.toLowerCase());
    const meant = known
      .filter(isMeant)
      .map(({ segments }) => segments.map((segment, i) => (isParameter(segment) ? given[i] : segment)).join('/'));
    return meant.find((one) => one !== path) ?? null;
  };
}
