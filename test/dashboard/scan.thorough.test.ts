/**
 * Scan: opens the page that reserves the resource of a code, and no other address that a code contains
 * (docs/specification.md#dashboard-and-sign-in). The camera is a canvas, and the reader of codes says what the test
 * wants: Chromium has one on phones only.
 */
import { describe, expect, test } from 'vitest';
import { go, page, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

/** Opens the page with a camera that sees a code. */
async function scan(code: string): Promise<void> {
  await page.addInitScript(`
    globalThis.BarcodeDetector = class { async detect() { return [{ rawValue: ${JSON.stringify(code)} }] } };
    const getUserMedia = async () => {
      const canvas = document.createElement('canvas');
      const drawing = canvas.getContext('2d');
      setInterval(() => drawing.fillRect(0, 0, Math.random() * 100, 9), 50);
      return canvas.captureStream();
    };
    const media = { getUserMedia };
    Object.defineProperty(navigator, 'mediaDevices', { value: media });`);
  await signIn();
  await go('/scan');
  await page.getByRole('button', { name: 'Use the camera' }).click();
}

describe('a code that the camera sees', () => {
  test('of this service opens the page that reserves the resource', async () => {
    await scan(`${service.one.url}/dashboard/reserve?resource=pixel%208&back=%2Fdashboard%2Fsettings&done=deleted`);
    await page.waitForURL(`${service.one.url}/dashboard/reserve?resource=pixel+8`);
  });

  test.each([
    'https://evil.example/dashboard/reserve?resource=pixel-8',
    'javascript:alert(1)',
    'pixel-8',
    '/dashboard/reserve?resource=pixel-8',
  ])('%s opens nothing', async (code) => {
    await scan(code);
    await page.getByText('This code is not one of this service.').waitFor();
    expect(page.url()).toBe(`${service.one.url}/dashboard/scan`);
  });

  test('of this service that leads to another page opens nothing', async () => {
    await scan(`${service.one.url}/dashboard/settings/delete-tenant?resource=x`);
    await page.getByText('This code is not one of this service.').waitFor();
    expect(page.url()).toBe(`${service.one.url}/dashboard/scan`);
  });
});

test('without a reader of codes, the page says what reads them, and takes a name', async () => {
  await signIn();
  await go('/scan');
  await page.getByText('This browser cannot read codes.').waitFor();
  expect(await page.getByRole('button', { name: 'Use the camera' }).isVisible()).toBe(false);
  await page.getByLabel('Or type the name on the label').fill('rig-1');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.waitForURL(`${service.one.url}/dashboard/reserve?resource=rig-1`);
});
