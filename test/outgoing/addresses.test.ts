/**
 * The addresses that requests to hosts of tenants' choice may go to (docs/specification.md#addresses-of-tenants).
 */
import { describe, expect, test } from 'vitest';
import { addressFault } from '../../src/outgoing/addresses.ts';

const CLOSED = { allowPrivate: false, allowHttp: false };
const OPEN = { allowPrivate: true, allowHttp: true };

/** Accepted where configuration allows private addresses. */
const PRIVATE = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f.1',
  '10.1.2.3',
  '100.64.0.1',
  '172.16.0.1',
  '192.168.1.1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'redis.localhost',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:10.0.0.1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[fc00::1]',
  '[fd12::1]',
  '[3fff::1]',
];

const FORBIDDEN = [
  '0.0.0.0',
  '169.254.169.254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '192.88.99.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::7f00:1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b::]',
  '[64:ff9b:1::1]',
  '[2001::1]',
  '[2002:a00:1::]',
  '[5f00::1]',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  '[fd00:c1::a9fe:a9fe]',
  '[ff02::1]',
];

const PUBLIC = ['id.example', 'id.example:8443', '8.8.8.8', '[2606:4700::1]', '[::ffff:8.8.8.8]', '[64:ff9b::8.8.8.8]'];

describe('addresses must be public', () => {
  test.each([...PRIVATE, ...FORBIDDEN])('https://%s is refused', (host) => {
    expect(addressFault(`https://${host}/a?b=c`, CLOSED)).toContain('private');
  });

  test.each(PUBLIC)('https://%s is not', (host) => {
    expect(addressFault(`https://${host}/a?b=c`, CLOSED)).toBeNull();
  });
});

describe('private addresses are accepted if the configuration allows them', () => {
  test.each([...PRIVATE, ...PUBLIC])('%s', (host) => expect(addressFault(`https://${host}/`, OPEN)).toBeNull());

  test.each(FORBIDDEN)('but not the link-local or reserved %s', (host) => {
    expect(addressFault(`https://${host}/`, OPEN)).toContain('link-local or reserved');
  });
});

describe('addresses must be https, without credentials', () => {
  test.each([
    ['http://id.example/keys', 'https'],
    ['ftp://id.example/keys', 'https'],
    ['file:///etc/passwd', 'https'],
    ['https://user:secret@id.example/keys', 'credentials'],
    ['https://user@id.example/keys', 'credentials'],
    ['keys', 'https'],
    ['', 'https'],
  ])('%s is refused', (address, fault) => expect(addressFault(address, CLOSED)).toContain(fault));

  test('http is accepted if the configuration allows it, and nothing else is', () => {
    expect(addressFault('http://10.0.0.1/keys', OPEN)).toBeNull();
    expect(addressFault('http://id.example/keys', { allowPrivate: false, allowHttp: true })).toBeNull();
    expect(addressFault('http://10.0.0.1/', { allowPrivate: false, allowHttp: true })).toContain('private');
    expect(addressFault('http://id.example/', { allowPrivate: true, allowHttp: false })).toContain('https');
    expect(addressFault('file:///etc/passwd', OPEN)).toContain('http');
    expect(addressFault('http://user:secret@10.0.0.1/keys', OPEN)).toContain('credentials');
  });
});
