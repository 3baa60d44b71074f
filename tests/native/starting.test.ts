import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import type { First } from '../../ui/src/bindings/First';
import { test } from '../support/native';
import { built, deliver, until } from '../support/program';
import { AppWindow, desktop, isRunning, start } from '../support/window';

test('c84_a_second_start_brings_the_first_window_to_the_front', async ({ window, place, listener }) => {
  desktop('unfocus');
  expect(desktop('focus')).toBe('0');
  const second = start(place);
  expect(await second.ended).toBe(0);
  await until('the first window has the focus', () => desktop('focus') === String(window.pid));
  expect(isRunning(window.pid)).toBe(true);
  expect(await deliver(listener, 'a')).toBe(204);
});

test('c84_a_folder_that_the_command_line_holds_is_said_until_it_is_free', async ({
  place,
  listener,
  onTestFinished,
}) => {
  const args = ['listen', '--json', '--port', new URL(listener).port, '--data-dir', place.folder];
  const holder = spawn(built('hooktwice'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void holder.kill());
  await new Promise((done) => createInterface({ input: holder.stdout }).once('line', done));
  const window = await AppWindow.open(place);
  onTestFinished(() => window.close());
  await window.shows('Hooktwice could not start');
  await window.shows(`process ${holder.pid}`);

  const ended = new Promise((done) => holder.once('exit', done));
  holder.kill('SIGTERM');
  await ended;
  await window.click("//button[normalize-space(.) = 'Try again']");
  await window.shows('Waiting for the first delivery');
  await window.shows(listener);
});

test('the first answer comes with the page, whatever was stored', async ({
  place,
  listener,
  window,
  onTestFinished,
}) => {
  const given = async (window: AppWindow) =>
    until('it is there', async () => {
      const json = await window.run<string | null>('return window.hooktwiceFirst ?? null');
      return json === null ? undefined : (JSON.parse(json) as First);
    });
  expect(await given(window)).toMatchObject({ state: { listener: { url: listener } }, counts: { all: 0 } });
  // What a sender chooses is text in it, and no code.
  const job = 'job_"+(document.title=1)+"</script>\\\u2028';
  expect(await deliver(listener, job)).toBe(204);
  await window.shows('won');
  await window.close();
  const next = await AppWindow.open(place);
  onTestFinished(() => next.close());
  await next.shows('job_"+(do…t>\\U+2028');
  const { counts, deliveries, curl } = await given(next);
  expect([counts.all, deliveries.rows[0]?.job_id]).toEqual([1, job]);
  expect(curl).toContain(`${listener}/`);
  expect(await next.run('return document.title')).toBe('Inbox · Hooktwice');
});

test('c80_a_home_with_an_odd_name_and_no_folder_yet', async ({ place, onTestFinished }) => {
  const home = join(place.home, 'a home of Zoë 家');
  mkdirSync(home);
  const window = await AppWindow.open({ home });
  onTestFinished(() => window.close());
  const { data_folder, storage_problem } = await until('the app answers', () => window.rpc('app.state', {}));
  expect(storage_problem).toBeNull();
  expect(data_folder.startsWith(home)).toBe(true);
  expect(readdirSync(data_folder)).toContain('hooktwice.db');
});
