import { describe, expect } from 'vitest';
import { bareBus, clickNotification, notifications } from '../support/desktop';
import { test as native } from '../support/native';
import { burst, deliver, post, until } from '../support/program';
import { AppWindow, desktop, start } from '../support/window';

const test = native.extend('shown', async ({}, { onCleanup }) => {
  const { shown, stop } = await notifications();
  onCleanup(stop);
  return shown;
});

describe('that are wanted', () => {
  test.override('settings', { notify: { duplicates: true, bad_signatures: true } });

  test('tell of a duplicate while nobody looks, and a click shows it', async ({
    window,
    listener,
    shown,
  }) => {
    await window.click("//nav//a[contains(., 'Settings')]");
    desktop('unfocus');
    const job = `job_${'1f3a'.repeat(20)}`;
    await deliver(listener, job);
    await deliver(listener, job, '/hook', { note: 'my own words' });
    const [notice] = await until('it is told', () => shown.length > 0 && shown);
    expect(notice).toEqual({
      title: 'Duplicate of #1',
      text: `${job.slice(0, 40)}… came again as #2 at /hook, with another body.`,
    });

    clickNotification();
    await window.shows('duplicate of #1');
    expect(await window.run('return document.title')).toBe('Inbox · Hooktwice');
    await until('the delivery is selected', () =>
      window.run(`return document.querySelector('#delivery-2')?.getAttribute('aria-selected') === 'true'`),
    );
    await until('the window has the focus', () => desktop('focus') === String(window.pid));
  });

  test('tell of a forged body without a word of it', async ({ window, listener, shown }) => {
    await window.shows('Waiting for the first delivery');
    desktop('unfocus');
    const forged = {
      'X-Sume-Timestamp': `${Math.floor(Date.now() / 1000)}`,
      'X-Sume-Signature': `v1=${'0'.repeat(64)}`,
    };
    expect(await post(`${listener}/<b>hook`, '{"job_id":"<i>job</i>"}', forged)).toBe(401);
    const [notice] = await until('it is told', () => shown.length > 0 && shown);
    expect(notice).toEqual({ title: 'Signature invalid: #1', text: 'It came at /%3Cb%3Ehook.' });
  });

  test('tell of a burst once', async ({ window, listener, shown }) => {
    await window.shows('Waiting for the first delivery');
    desktop('unfocus');
    await burst(listener, 1000, 1, 2);
    await until('it is told', () => shown.length > 0);
    // Nothing more comes, but what came after the first was sent: several, or one by its number.
    const count = (title: string) =>
      title.startsWith('Duplicate of #') ? 1 : Number(/^(\d+) duplicates$/.exec(title)?.[1]);
    const told = () => shown.reduce((sum, { title }) => sum + count(title), 0);
    await until('all are told of', () => told() === 500);
    expect(shown.length).toBeLessThanOrEqual(2);
  });

  test('are held back while the window is looked at', async ({ window, place, listener, shown }) => {
    await window.shows('Waiting for the first delivery');
    // A second start brings it to the front.
    desktop('unfocus');
    await start(place).ended;
    await until('the window has the focus', () => desktop('focus') === String(window.pid));
    await deliver(listener, 'seen');
    await deliver(listener, 'seen');
    await window.shows('duplicate of #1');
    desktop('unfocus');
    await deliver(listener, 'unseen');
    await deliver(listener, 'unseen');
    await until('the other is told', () => shown.length > 0);
    expect(shown.map(({ title }) => title)).toEqual(['Duplicate of #3']);
  });
});

test('are none at first, and are tried from the settings', async ({ window, listener, shown }) => {
  await window.shows('Waiting for the first delivery');
  desktop('unfocus');
  await deliver(listener, 'job_1');
  await deliver(listener, 'job_1');
  await window.shows('duplicate of #1');
  await window.click("//nav//a[contains(., 'Settings')]");
  await window.click("//button[normalize-space(.) = 'Try it']");
  await until('it is shown', () => shown.length > 0);
  expect(shown.map(({ title }) => title)).toEqual(['Hooktwice can notify you']);
  await window.shows('Sent.');
});

test('are said to be impossible where nobody shows them', async ({ place, listener, onTestFinished }) => {
  const bus = await bareBus(place.home);
  onTestFinished(bus.stop);
  const window = await AppWindow.open(place, { DBUS_SESSION_BUS_ADDRESS: bus.address });
  onTestFinished(() => window.close());
  await window.shows(listener);
  await window.click("//nav//a[contains(., 'Settings')]");
  await window.shows('Notifications cannot be shown');
  await window.shows('No program on this desktop shows notifications');
  await window.rpc('app.state', {});
});
