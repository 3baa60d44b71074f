import { expect, it, vi } from 'vitest';
import { chooseFile, holdsDeliveries } from './files';

it.each([
  ['x.har', 'anything: the import says what is wrong with it', true],
  ['X.HAR', '', true],
  ['x.json', '{"log":{"version":"1.2","entries":[]}}', true],
  ['x.json', '\ufeff{\n  "log": {\n    "creator": {}', true],
  ['x.ndjson', '{"type":"delivery","seq":1}', true],
  ['x.json', '{"type":"delivery"}', false],
  ['x.json', '{"event":"job.completed","job_id":"a"}', false],
  ['x.json', '{"log":"a line"}', false],
  ['x.bin', '\u0000\u00ff', false],
  ['x.txt', 'log', false],
])('%s with %j holds deliveries: %s', async (name, text, expected) => {
  expect(await holdsDeliveries(new File([text], name))).toBe(expected);
});

it.each([
  ['change', new File(['x'], 'x.har')],
  ['cancel', undefined],
])('the field that asks for a file stands in the document until its %s', async (event, file) => {
  const click = vi.spyOn(HTMLInputElement.prototype, 'click').mockReturnValue();
  const chosen = chooseFile('.har');
  const field = document.querySelector<HTMLInputElement>('input[type="file"]')!;
  expect(click.mock.contexts).toEqual([field]);
  expect([field.accept, field.hidden]).toEqual(['.har', true]);
  if (file) Object.defineProperty(field, 'files', { value: [file] });
  field.dispatchEvent(new Event(event));
  expect(await chosen).toBe(file);
  expect(field.isConnected).toBe(false);
  click.mockRestore();
});
