import { expect, it } from 'vitest';
import { AllowedHosts } from './hosts';

it('a word for a host holds for every URL of it, however it is written', () => {
  const hosts = new AllowedHosts();
  const urls = ['http://localhost:3000/a', 'https://Staging.example:8443/hook', 'http://localhost/b'];
  expect(hosts.of(urls)).toEqual([]);
  // This machine's own addresses are seldom what a refusal is about.
  expect(hosts.unasked(urls)).toBe('Staging.example');
  hosts.allow('staging.EXAMPLE');
  expect(hosts.of(urls)).toEqual(['Staging.example']);
  expect(hosts.unasked(urls)).toBe('localhost');
  hosts.allow('localhost');
  expect(hosts.unasked(urls)).toBeUndefined();
});
