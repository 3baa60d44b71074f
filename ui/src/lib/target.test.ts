import { describe, expect, it } from 'vitest';
import { hostOf, isLoopback, isOn, targetFault } from './target';

it.each([
  ['http://localhost:3000/a', 'localhost'],
  ['https://Example.com', 'Example.com'],
  ['http://[::1]:9/a?b=c', '[::1]'],
  ['http://me@10.0.0.7:80/', '10.0.0.7'],
  ['http://a.example?x=http://b.example', 'a.example'],
  ['nonsense', ''],
])('the host of %s is %s', (url, host) => {
  expect(hostOf(url)).toBe(host);
});

describe('a target', () => {
  it.each(['http://localhost:3000/a', ' https://a.example ', 'HTTP://[::1]/'])('may be %j', (url) => {
    expect(targetFault(url)).toBeUndefined();
  });
  it.each(['', '  ', 'localhost:3000', 'ftp://a.example', 'http://', 'http:///a', 'http://:80/'])(
    'is never %j',
    (url) => {
      expect(targetFault(url)).toMatch(/URL/);
    },
  );
});

it('knows its own listener, and not one whose port begins alike', () => {
  const own = 'http://127.0.0.1:440';
  expect(isOn(own, 'http://127.0.0.1:440/a')).toBe(true);
  expect(isOn(own, own)).toBe(true);
  expect(isOn(own, 'http://127.0.0.1:4400/a')).toBe(false);
  expect(isOn(undefined, 'http://127.0.0.1:440/a')).toBe(false);
});

it('knows which addresses are only this machine', () => {
  for (const host of ['127.0.0.1', 'localhost', '::1', '[::1]', '127.1.2.3'])
    expect(isLoopback(host)).toBe(true);
  for (const host of ['0.0.0.0', '::', '192.168.1.2', '127.example', 'localhost.example']) {
    expect(isLoopback(host)).toBe(false);
  }
});
