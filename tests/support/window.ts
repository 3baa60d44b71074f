import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { built, until } from './program';

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** A free port of this moment. */
function freePort(): Promise<number> {
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

/** The real window, driven through WebKitWebDriver (W3C WebDriver). */
export class AppWindow {
  private constructor(
    private readonly driver: ChildProcess,
    private readonly base: string,
    private session = '',
  ) {}

  /** Opens the app over a data folder. */
  static async open(folder: string): Promise<AppWindow> {
    const port = await freePort();
    const driver = spawn('WebKitWebDriver', [`--port=${port}`], {
      stdio: 'inherit',
      env: {
        ...process.env,
        HOOKTWICE_DATA_DIR: folder,
        TAURI_AUTOMATION: 'true',
        TAURI_WEBVIEW_AUTOMATION: 'true',
        WEBKIT_DISABLE_DMABUF_RENDERER: '1',
      },
    });
    const base = `http://127.0.0.1:${port}`;
    await until('WebKitWebDriver answers', () => fetch(`${base}/status`).then((answer) => answer.ok));
    const window = new AppWindow(driver, base);
    const binary = built('hooktwice-app');
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': { binary, args: [] } } };
    const { sessionId } = await window.ask<{ sessionId: string }>('POST', '/session', { capabilities });
    window.session = `/session/${sessionId}`;
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

  /** The page's text. */
  text(): Promise<string> {
    return this.run('return document.body.innerText');
  }

  /** Waits for an element (XPath) and clicks it as a person would. */
  async click(xpath: string): Promise<void> {
    await this.ask('POST', `${this.session}/element/${await this.find(xpath)}/click`, {});
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
    return Buffer.from(await this.ask<string>('GET', `${this.session}/screenshot`), 'base64');
  }

  /** Closes the window, and with it the app. */
  async close(): Promise<void> {
    const ended = new Promise<void>((done) => this.driver.once('exit', () => done()));
    await this.ask('DELETE', this.session).catch(() => undefined);
    this.driver.kill('SIGTERM');
    await ended;
  }
}
