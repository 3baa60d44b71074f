import { expect, it } from 'vitest';
import { appState } from '../test/fake';
import { webhookUrl } from './tunnel';

function url(base: string, path: string): string | undefined {
  const app = appState({ tunnel: { state: 'proving', url: base } });
  return webhookUrl({ ...app, settings: { ...app.settings, tunnel: { ...app.settings.tunnel, path } } });
}

it.each([
  ['https://a.example', '/webhooks/sume', 'https://a.example/webhooks/sume'],
  ['https://a.example/', '/hook?team=7', 'https://a.example/hook?team=7'],
  ['https://a.example', 'hook', 'https://a.example/hook'],
  ['https://a.example', '?team=7', 'https://a.example?team=7'],
  ['https://a.example/', '', 'https://a.example'],
])('%s with %s is pasted as %s', (base, path, whole) => {
  expect(url(base, path)).toBe(whole);
});

it('there is nothing to paste before the URL is known', () => {
  expect(webhookUrl(appState())).toBeUndefined();
});
