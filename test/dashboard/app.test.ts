/**
 * The dashboard as an app on a phone: manifest and icons, the page that scans, and the label with a code
 * (docs/specification.md#dashboard-and-sign-in).
 */
import jsQR from 'jsqr';
import { describe, expect, test } from 'vitest';
import { holdfast, person, useActing } from '../support/acting.ts';

useActing();

const fetched = async (path: string) => {
  const response = await fetch(`${holdfast.url}${path}`);
  return { status: response.status, type: response.headers.get('Content-Type'), body: await response.arrayBuffer() };
};

describe('the manifest', () => {
  test('is read without a session, and leads to icons of the sizes that it names', async () => {
    const { status, type, body } = await fetched('/dashboard/manifest.webmanifest');
    expect([status, type]).toEqual([200, 'application/manifest+json']);
    const manifest = JSON.parse(new TextDecoder().decode(body));
    expect(manifest).toMatchObject({ display: 'standalone', start_url: '/dashboard', scope: '/dashboard' });
    expect(manifest.icons).toHaveLength(3);
    for (const { src, sizes } of manifest.icons) {
      const icon = await fetched(src);
      const view = new DataView(icon.body);
      expect([icon.type, `${view.getUint32(16)}x${view.getUint32(20)}`]).toEqual(['image/png', sizes]);
    }
  });

  test('is named by each page, with the colours of its head', async () => {
    const { text } = await (await person()).get('');
    expect(text).toContain('<link rel="manifest" href="/dashboard/manifest.webmanifest"/>');
    expect(text.match(/<meta name="theme-color"/g)).toHaveLength(2);
  });
});

test('the camera is allowed on the page that scans, and on no other', async () => {
  const { headers } = await person('viewer');
  const policy = async (path: string) =>
    (await fetch(`${holdfast.url}/dashboard${path}`, { headers })).headers.get('Permissions-Policy');
  expect(await policy('/scan')).toMatch(/camera=\(self\)|camera=self/);
  for (const path of ['', '/mine', '/scan/other'])
    expect(await policy(path)).toMatch(/camera=\((?:none)?\)|camera=none/);
});

describe('the label of a resource', () => {
  /** Reads the code of a page as a camera would: each module as 4 × 4 dots. */
  const read = (html: string) => {
    const size = Number(/viewBox="-4 -4 (\d+)/.exec(html)?.[1]) * 4;
    const dots = new Uint8ClampedArray(size * size * 4).fill(255);
    for (const [, x, y] of html.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
      for (let i = 0; i < 16; i++) {
        const at = ((Number(y) + 4) * 4 + (i >> 2)) * size + (Number(x) + 4) * 4 + (i & 3);
        dots.fill(0, at * 4, at * 4 + 3);
      }
    return jsQR.default(dots, size, size)?.data;
  };

  test.each(['pixel-8', 'Prüfstand 4 & <5>', 'x'.repeat(256)])('%s has a code that leads to its page', async (name) => {
    const { status, text } = await (await person()).get(`/resources/one/qr?${new URLSearchParams({ name })}`);
    expect(status).toBe(200);
    const address = new URL(read(text) ?? '');
    expect([address.origin, address.pathname, address.searchParams.get('resource')]).toEqual([
      holdfast.url,
      '/dashboard/reserve',
      name,
    ]);
  });

  test('is refused for what cannot be a name', async () => {
    expect((await (await person()).get('/resources/one/qr?name=a%0Ab')).status).toBe(400);
  });
});
