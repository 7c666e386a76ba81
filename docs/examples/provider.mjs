/**
 * An identity provider for a try: it publishes a key, and signs a JWT for any name. Its argument is the port. Explained in
 * docs/guides/end-users.md.
 */

import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'first', alg: 'ES256', use: 'sig' };
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

const jwtFor = (sub) => {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const claims = { iss: 'https://id.example', aud: 'my-product', sub, exp };
  const content = `${encode({ alg: 'ES256', kid: 'first', typ: 'JWT' })}.${encode(claims)}`;
  return `${content}.${sign('sha256', content, { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
};

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname === '/jwks') response.end(JSON.stringify({ keys: [jwk] }));
  else response.end(jwtFor(searchParams.get('sub')));
}).listen(Number(process.argv[2]), '127.0.0.1');
