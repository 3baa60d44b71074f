import type { CheckReport } from '$bindings/CheckReport';
import type { IconName } from '$ui/icons';
import type { Tone } from '$ui/tone';
import type { Standing } from './report';

/** A verdict as it is shown: each has a word, a shape and a colour of its own. */
export type Look = { word: string; icon: IconName | undefined; tone: Tone };

/** What a scenario came to, or a whole check. */
export type Shown = Standing | 'stopped' | 'no result';

const LOOKS: Readonly<Record<Shown, Look>> = {
  pass: { word: 'pass', icon: 'check', tone: 'won' },
  fail: { word: 'fail', icon: 'close', tone: 'bad' },
  warn: { word: 'warn', icon: 'warning', tone: 'dup' },
  unknown: { word: 'unknown', icon: 'question', tone: 'accent' },
  skipped: { word: 'skipped', icon: 'minus', tone: 'off' },
  waiting: { word: 'waiting', icon: undefined, tone: 'off' },
  running: { word: 'running', icon: undefined, tone: 'accent' },
  'not reached': { word: 'not reached', icon: 'minus', tone: 'off' },
  stopped: { word: 'stopped', icon: 'minus', tone: 'off' },
  'no result': { word: 'no result', icon: 'warning', tone: 'off' },
};

export function lookOf(standing: Shown): Look {
  return LOOKS[standing];
}

/** The one word on top of a check. */
export function headline(check: CheckReport): Look {
  switch (check.state) {
    case 'running':
      return { word: 'Running', icon: undefined, tone: 'accent' };
    case 'stopped':
      return { word: 'Stopped', icon: 'minus', tone: 'off' };
    case 'failed':
      return { word: 'Not carried out', icon: 'close', tone: 'bad' };
    case 'done': {
      const { word, icon, tone } = lookOf(check.overall?.verdict ?? 'unknown');
      return { word: `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`, icon, tone };
    }
  }
}
