import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What a program asked the desktop to show. */
export type Notification = { title: string; text: string };

/** Sees what is asked of the session bus to be shown, whoever shows it. */
export async function notifications(): Promise<{ shown: Notification[]; stop: () => void }> {
  // What another test left there would be clicked in the place of this one's.
  execFileSync('dunstctl', ['close-all']);
  const rule = "type='method_call',interface='org.freedesktop.Notifications',member='Notify'";
  const monitor = spawn('dbus-monitor', ['--session', rule], { stdio: ['ignore', 'pipe', 'inherit'] });
  const shown: Notification[] = [];
  let texts: string[] = [];
  await new Promise<void>((ready) => {
    createInterface({ input: monitor.stdout }).on('line', (line) => {
      // It begins with a signal to itself; a call's first four texts are the program, an icon, the title and the text.
      if (line.startsWith('signal')) ready();
      if (line.startsWith('method call')) texts = [];
      const text = /^ {3}string "(.*)"$/.exec(line)?.[1];
      if (text === undefined) return;
      texts.push(text);
      if (texts.length === 4) shown.push({ title: texts[2] ?? '', text: texts[3] ?? '' });
    });
  });
  return { shown, stop: () => void monitor.kill() };
}

/** Clicks the notification that is shown. */
export function clickNotification(): void {
  execFileSync('dunstctl', ['action', '0']);
}

/** A session bus on which nobody shows notifications, nor can be started for it. */
export async function bareBus(folder: string): Promise<{ address: string; stop: () => void }> {
  const config = join(folder, 'bus.conf');
  writeFileSync(
    config,
    `<busconfig><type>session</type><listen>unix:dir=${folder}</listen><policy context="default">
      <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`,
  );
  const bus = spawn('dbus-daemon', [`--config-file=${config}`, '--nofork', '--print-address'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const address = await new Promise<string>((done) => {
    createInterface({ input: bus.stdout }).once('line', done);
  });
  return { address, stop: () => void bus.kill() };
}
