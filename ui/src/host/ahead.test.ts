import { expect, it } from 'vitest';
import { appState, FakeHost } from '../test/fake';
import { Ahead } from './ahead';

it('an answer is taken once, and only for the question that was asked', async () => {
  const ahead = new Ahead(new FakeHost({ 'app.state': () => appState({ claims: 7 }) }));
  expect(ahead.take('app.state', {})).toBeUndefined();
  await ahead.ask('app.state', {});
  expect(ahead.take('sume.watched', {})).toBeUndefined();
  expect(ahead.take('app.state', {})?.claims).toBe(7);
  expect(ahead.take('app.state', {})).toBeUndefined();
});

it('what failed was not answered: whoever takes it asks, and is told', async () => {
  const ahead = new Ahead(new FakeHost());
  await expect(ahead.ask('sample.curl', {})).rejects.toThrow('sample.curl');
  expect(ahead.take('sample.curl', {})).toBeUndefined();
});

it('nothing is kept for those who come later, not even what is answered later', async () => {
  const ahead = new Ahead(new FakeHost());
  await ahead.ask('app.state', {});
  const late = ahead.ask('sume.watched', {});
  ahead.forget();
  await late;
  expect(ahead.take('app.state', {})).toBeUndefined();
  expect(ahead.take('sume.watched', {})).toBeUndefined();
});
