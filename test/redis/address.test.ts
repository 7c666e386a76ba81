import { describe, expect, test } from 'vitest';
import { parseRedisAddress } from '../../src/redis/address.ts';

describe('an address of Redis', () => {
  test.each([
    ['redis://u:p@h:1/2', { kind: 'single', address: 'redis://u:p@h:1/2' }],
    ['unix:///run/redis.sock', { kind: 'single', address: '/run/redis.sock' }],
    [
      'redis+cluster://a,b:7000,[::1]:7001',
      {
        kind: 'cluster',
        nodes: [
          { host: 'a', port: 6379 },
          { host: 'b', port: 7000 },
          { host: '::1', port: 7001 },
        ],
        tls: false,
      },
    ],
    [
      'rediss+cluster://user:p%40ss@a',
      { kind: 'cluster', nodes: [{ host: 'a', port: 6379 }], tls: true, username: 'user', password: 'p@ss' },
    ],
    [
      'redis+sentinel://:secret@a,b:1/mymaster/3?sentinelPassword=other',
      {
        kind: 'sentinel',
        sentinels: [
          { host: 'a', port: 26_379 },
          { host: 'b', port: 1 },
        ],
        name: 'mymaster',
        db: 3,
        tls: false,
        password: 'secret',
        sentinelPassword: 'other',
      },
    ],
  ])('%s', (url, address) => {
    expect(parseRedisAddress(url)).toEqual(address);
  });

  test.each([
    ['http://secret', 'must begin with redis://'],
    ['redis+cluster://', 'and name a node'],
    ['redis+cluster://secret:0:1', 'as host:port'],
    ['redis+cluster://a:99999', 'as host:port'],
    ['redis+cluster://u:secret@a/1', 'database 0 only'],
    ['redis+sentinel://u:secret@a', 'must end with /name'],
    ['redis+sentinel://u:secret@a/name/db', 'must end with /name'],
    ['redis+sentinel://a/name?secret=1', 'no parameters but'],
    ['redis+cluster://u:secret%@a', 'hexadecimal'],
  ])('%s is refused, and not repeated', (url, fault) => {
    const message = parseRedisAddress(url);
    expect(message).toContain(fault);
    expect(message).not.toContain('secret');
  });
});
