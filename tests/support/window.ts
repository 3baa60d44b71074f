import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Commands } from '../../ui/src/bindings/Commands';
import { built, until } from './program';

/** Keys that are no character, as WebDriver names them. */
const KEYS: Record<string, string> = {
  Shift: '\ue008',
  Control: '\ue009',
  Escape: '\ue00c',
  F5: '\ue035',
};

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** A free port of this moment. */
export function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? done(address.port) : fail(new Error('no port')),
      );
    });
  });
}

/** Whether a process is there. */
export function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
}

/** What a window manager would do: there is none under Xvfb. */
export function desktop(...args: string[]): string {
  return execFileSync('python3', [join(import.meta.dirname, 'x.py'), ...args], { encoding: 'utf8' }).trim();
}

/**
 * The colors in the middle of a window, one after the other, from its beginning until its page is painted: then the first
 * link has the color that it has when it is chosen.
 */
export async function colorsUntilPainted(pid: number, chosen: string): Promise<string[]> {
  const eye = spawn('python3', [join(import.meta.dirname, 'x.py'), 'colors', String(pid)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const seen: string[] = [];
  try {
    for await (const line of createInterface({ input: eye.stdout })) {
      const colors = line.split(' ');
      seen.push(colors.slice(0, 3).join(' '));
      if (colors.slice(3).join(' ') === chosen) break;
    }
  } finally {
    eye.kill();
  }
  return seen;
}

/** Where the app keeps things: the person's home, and a data folder if it is not to be found in there. */
export type Place = { home: string; folder?: string };

function environment({ home, folder }: Place): NodeJS.ProcessEnv {
  return {
    ...process.env,
    HOME: home,
    XDG_DATA_HOME: undefined,
    XDG_CONFIG_HOME: undefined,
    XDG_CACHE_HOME: undefined,
    HOOKTWICE_DATA_DIR: folder,
    // The app's documented way out where the graphics card's driver draws nothing (C87).
    WEBKIT_DISABLE_DMABUF_RENDERER: '1',
  };
}

/** The app as a person starts it, with no driver. */
export function start(
  at: Place,
  more: NodeJS.ProcessEnv = {},
): { process: ChildProcess; ended: Promise<number | null> } {
  const child = spawn(built('hooktwice-app'), {
    stdio: 'inherit',
    env: { ...environment(at), ...more },
  });
  return { process: child, ended: new Promise((done) => child.once('exit', done)) };
}

/** The real window, driven through WebKitWebDriver (W3C WebDriver). */
export class AppWindow {
  private constructor(
    private readonly driver: ChildProcess,
    private readonly base: string,
    private session = '',
    /** The app's process. */
    public pid = 0,
  ) {}

  /** Opens the app. */
  static async open(at: Place, more: NodeJS.ProcessEnv = {}): Promise<AppWindow> {
    const port = await freePort();
    const driver = spawn('WebKitWebDriver', [`--port=${port}`], {
      stdio: 'inherit',
      env: { ...environment(at), TAURI_AUTOMATION: 'true', TAURI_WEBVIEW_AUTOMATION: 'true', ...more },
    });
    const base = `http://127.0.0.1:${port}`;
    await until('WebKitWebDriver answers', () => fetch(`${base}/status`).then((answer) => answer.ok));
    const window = new AppWindow(driver, base);
    const binary = built('hooktwice-app');
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': { binary, args: [] } } };
    const { sessionId } = await window.ask<{ sessionId: string }>('POST', '/session', { capabilities });
    window.session = `/session/${sessionId}`;
    window.pid = Number(readFileSync(`/proc/${driver.pid}/task/${driver.pid}/children`, 'utf8').trim());
    return window;
  }

  private async ask<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(this.base + path, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
    const { value } = (await answer.json()) as { value: T };
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
    return value;
  }

  /** Runs a function body in the page. */
  run<T>(script: string, ...args: unknown[]): Promise<T> {
    return this.ask('POST', `${this.session}/execute/sync`, { script, args });
  }

  /** Asks the app what its page asks. */
  async rpc<C extends keyof Commands>(
    command: C,
    params: Commands[C]['params'],
  ): Promise<Commands[C]['result']> {
    const script = `
      const [command, params, done] = arguments;
      window.__TAURI_INTERNALS__.invoke('rpc', { command, params }).then(
        (ok) => done({ ok }),
        (error) => done({ error }),
      );`;
    const said = await this.ask<{ ok: Commands[C]['result'] } | { error: unknown }>(
      'POST',
      `${this.session}/execute/async`,
      { script, args: [command, params] },
    );
    if ('error' in said) throw new Error(`${command}: ${JSON.stringify(said.error)}`);
    return said.ok;
  }

  /** Loads the page anew, which no key does in the window. */
  reload(): Promise<void> {
    return this.ask('POST', `${this.session}/refresh`, {});
  }

  /** The page's text. */
  text(): Promise<string> {
    return this.run('return document.body.innerText');
  }

  /** Waits until the page shows a text. */
  shows(text: string, within?: number): Promise<boolean> {
    return until(`the page shows ${text}`, async () => (await this.text()).includes(text), within);
  }

  /** Waits for an element (XPath) and clicks it as a person would. */
  async click(xpath: string): Promise<void> {
    await this.ask('POST', `${this.session}/element/${await this.find(xpath)}/click`, {});
  }

  /** Presses keys, one after the other. */
  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.chord(key);
  }

  /** Presses keys together. */
  chord(...keys: string[]): Promise<void> {
    const values = keys.map((key) => KEYS[key] ?? key);
    const actions = [
      ...values.map((value) => ({ type: 'keyDown', value })),
      ...values.toReversed().map((value) => ({ type: 'keyUp', value })),
    ];
    return this.ask('POST', `${this.session}/actions`, {
      actions: [{ type: 'key', id: 'keyboard', actions }],
    });
  }

  /** Puts a text in the place of an input's own. */
  async fill(xpath: string, text: string): Promise<void> {
    const element = await this.find(xpath);
    await this.ask('POST', `${this.session}/element/${element}/clear`, {});
    await this.ask('POST', `${this.session}/element/${element}/value`, { text });
  }

  private find(xpath: string): Promise<string> {
    const look = async () => {
      const found = await this.ask<Record<string, string>>('POST', `${this.session}/element`, {
        using: 'xpath',
        value: xpath,
      });
      return found[ELEMENT];
    };
    return until(xpath, look);
  }

  /** The window as PNG. */
  async picture(): Promise<Buffer> {
    // WebKit takes it with the next frame, and a page at rest paints none: a dot that nobody sees keeps it busy.
    await this.run(`
      const dot = document.body.appendChild(document.createElement('i'));
      Object.assign(dot.style, { position: 'fixed', right: 0, bottom: 0, width: '1px', height: '1px' });
      let n = 0;
      const blink = setInterval(() => {
        dot.style.background = (n += 1) % 2 ? '#80808001' : '#80808002';
        if (n < 60) return;
        clearInterval(blink);
        dot.remove();
      }, 30);`);
    return Buffer.from(await this.ask<string>('GET', `${this.session}/screenshot`), 'base64');
  }

  /** Closes the window, and with it the app; one that is closed already stays so. */
  async close(): Promise<void> {
    if (this.driver.exitCode !== null || this.driver.signalCode !== null) return;
    const ended = new Promise<void>((done) => this.driver.once('exit', () => done()));
    await this.ask('DELETE', this.session).catch(() => undefined);
    await until('the app has ended', () => !isRunning(this.pid));
    this.driver.kill('SIGTERM');
    await ended;
  }
}
