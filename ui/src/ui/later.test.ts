import { expect, it, vi } from 'vitest';
import { Later, loadLater } from './later.svelte';

it('is loaded once, whoever asks', async () => {
  const load = vi.fn(() => Promise.resolve({ default: 'part' }));
  const later = new Later(load);
  expect(later.part).toBeUndefined();
  await Promise.all([later.load(), later.load(), loadLater()]);
  await later.load();
  expect([later.part, load.mock.calls.length]).toEqual(['part', 1]);
});

it('what did not come beforehand is tried again when it is asked for', async () => {
  const load = vi.fn(() => Promise.resolve({ default: 'part' }));
  load.mockRejectedValueOnce(new Error('the server is gone')).mockRejectedValueOnce(new Error('still gone'));
  const later = new Later(load);
  await loadLater();
  expect(later.part).toBeUndefined();
  await expect(later.load()).rejects.toThrow('still gone');
  await later.load();
  expect(later.part).toBe('part');
});
