/**
 * Refuses requests to paths and methods that nothing answers, and says what was probably meant: paths are
 * case-sensitive.
 */
import { TrieRouter } from 'hono/router/trie-router';
import { Refusal } from './errors.ts';

interface Known {
  readonly method: string;
  readonly path: string;
}

const isParameter = (segment: string) => segment.startsWith(':');

/**
 * @param routes read at the first call, when all are declared
 * @returns a function that makes the refusal of a request
 */
export function refuseUnknown(routes: () => readonly Known[]): (method: string, path: string) => Refusal {
  let known: ReturnType<typeof read> | undefined;
  return (method, path) => {
    known ??= read(routes());
    const allowed = known.methodsAt(path);
    if (allowed.length === 0 || allowed.includes(method)) return notFound(known.meant(path));
    // The name of a resource may stand where an operation was meant: GET /api/v1/Resource/Definitions.
    const meant = known.meant(path, method);
    if (meant !== null) return notFound(meant);
    const headers = { Allow: allowed.join(', ') };
    return new Refusal(405, 'METHOD_NOT_ALLOWED', 'This method is not allowed here.', headers);
  };
}

const notFound = (meant: string | null) =>
  new Refusal(
    404,
    'PATH_NOT_FOUND',
    `There is nothing at this path.${meant === null ? '' : ` Did you mean ${meant}?`}`,
  );

function read(routes: readonly Known[]) {
  // Most paths below a wildcard have nothing. To allow GET there would hide that the path is wrong.
  const fixed = routes
    .filter(({ path }) => !path.includes('*'))
    .map(({ method, path }) => ({ method, path, segments: path.split('/') }));
  const router = new TrieRouter<readonly string[]>();
  for (const { method, path } of fixed)
    if (method !== 'ALL') router.add('ALL', path, method === 'GET' ? ['GET', 'HEAD'] : [method]);
  return {
    methodsAt: (path: string): string[] => [...new Set(router.match('ALL', path)[0].flatMap(([methods]) => methods))],
    /** The path that differs from a given one by case only, and has the method. */
    meant(path: string, wanted?: string): string | null {
      const given = path.split('/');
      const isMeant = ({ method, segments }: (typeof fixed)[number]) =>
        (wanted === undefined || method === 'ALL' || method === wanted) &&
        segments.length === given.length &&
        segments.every((segment, i) => isParameter(segment) || segment.toLowerCase() === given[i]?.toLowerCase());
      const meant = fixed
        .filter(isMeant)
        .map(({ segments }) => segments.map((segment, i) => (isParameter(segment) ? given[i] : segment)).join('/'));
      return meant.find((one) => one !== path) ?? null;
    },
  };
}
