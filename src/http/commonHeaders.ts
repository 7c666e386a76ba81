/**
 * The response headers of every call of the API, for the OpenAPI document: written once, and referred to by each
 * response.
 */
const HEADERS = {
  'X-Request-Id': {
    description:
      'Names the request in the log. It is the one that the caller sent, or a new one. Refusals of an overloaded instance have none.',
    schema: { type: 'string' },
    example: '5f0c1a52-8a8e-4f2f-9a7c-9b110d9b4f4e',
  },
  'RateLimit-Policy': {
    description:
      'The limits that the request counts against: `q` requests in `w` seconds. Left out if nothing is limited.',
    schema: { type: 'string' },
    example: '"OperationsPerMinute";q=300;w=60',
  },
  RateLimit: {
    description: 'What is left of these limits: `r` requests for the next `t` seconds.',
    schema: { type: 'string' },
    example: '"OperationsPerMinute";r=299;t=60',
  },
} as const;

const refs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The part of the document that gets the headers. */
interface Written {
  components: { headers?: object };
  paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>;
}

/** Adds the headers to a document that the generator has just made. */
export function withCommonHeaders<Given extends object>(document: Given): Given {
  const { components, paths } = document as unknown as Written;
  components.headers = HEADERS;
  for (const [path, methods] of Object.entries(paths)) {
    const isCharged = path.startsWith('/api/v1/') && !path.startsWith('/api/v1/admin/');
    for (const { responses } of Object.values(methods))
      for (const [status, response] of Object.entries(responses)) {
        const limits = isCharged && /^(2..|429)$/.test(status) ? ['RateLimit-Policy', 'RateLimit'] : [];
        response.headers = { ...response.headers, ...refs(['X-Request-Id', ...limits]) };
      }
  }
  return document;
}
