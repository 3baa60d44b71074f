import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Commands } from '../../ui/src/bindings/Commands';
import type { Settings } from '../../ui/src/bindings/Settings';

/** The secret that everything in these tests is signed with. */
export const SECRET = 'test-secret';

/** A program of the workspace, from the folder that Cargo builds in: the debug build, unless another profile is named. */
export function built(name: string): string {
  const folder = process.env['CARGO_TARGET_DIR'] ?? resolve(import.meta.dirname, '../../target');
  const path = join(folder, process.env['HOOKTWICE_PROFILE'] ?? 'debug', name);
  if (!existsSync(path)) throw new Error(`${path} is missing: cargo build --workspace`);
  return path;
}

/** A temporary folder, gone after the test. Processes that have just ended may still write their last file. */
export function dataFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'hooktwice-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 10 }) };
}

/** Waits for a fact, and says which one when it does not come. */
export async function until<T>(
  what: string,
  fact: () => Promise<T | undefined | false> | T | undefined | false,
  within = 15_000,
): Promise<T> {
  const end = Date.now() + within;
  let last: unknown;
  while (Date.now() < end) {
    try {
      const seen = await fact();
      if (seen) return seen;
    } catch (error) {
      last = error;
    }
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error(`this did not come about within ${within} ms: ${what}`, { cause: last });
}

/** What a test writes into `settings.json`; the rest is as it is at first. */
export type SettingsFile = { [Group in keyof Settings]?: Partial<Settings[Group]> };

export type Serving = {
  process: ChildProcess;
  /** The page with its token. */
  page: string;
  /** Where deliveries go. */
  listener: string;
  folder: string;
  stop(signal?: NodeJS.Signals): Promise<void>;
};

export type ServeOptions = { folder?: string; settings?: SettingsFile; port?: number; listenPort?: number };

/** `hooktwice serve` over a data folder, on free ports. */
export async function serve(options: ServeOptions = {}): Promise<Serving> {
  const own = options.folder === undefined ? dataFolder() : undefined;
  const folder = options.folder ?? own?.path ?? '';
  if (options.settings) writeFileSync(join(folder, 'settings.json'), JSON.stringify(options.settings));
  const ports = ['--port', String(options.port ?? 0), '--listen-port', String(options.listenPort ?? 0)];
  const args = ['serve', '--json', ...ports, '--data-dir', folder, '--secret-env', 'HOOK_SECRET'];
  const child = spawn(built('hooktwice'), args, {
    env: { ...process.env, HOOK_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const first = await new Promise<string>((done, fail) => {
    createInterface({ input: child.stdout }).once('line', done);
    child.once('exit', (code) => fail(new Error(`hooktwice serve ended at once (${code})`)));
  });
  const line = JSON.parse(first) as { type: string; token_url: string; listening: string | null };
  if (line.type !== 'serving') throw new Error(`hooktwice serve said ${first}`);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    await ended;
    own?.remove();
  };
  return { process: child, page: line.token_url, listener: line.listening ?? '', folder, stop };
}

/** Asks the program what its pages ask. */
export async function rpc<C extends keyof Commands>(
  served: Serving,
  command: C,
  params: Commands[C]['params'],
): Promise<Commands[C]['result']> {
  const { origin, searchParams } = new URL(served.page);
  const answer = await fetch(`${origin}/rpc`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${searchParams.get('token')}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ command, params }),
  });
  const said = (await answer.json()) as { ok: Commands[C]['result'] } | { error: unknown };
  if ('error' in said) throw new Error(`${command}: ${JSON.stringify(said.error)}`);
  return said.ok;
}

/** The bytes of a stored body, which is not large. */
export async function bodyOf(served: Serving, seq: number): Promise<Buffer> {
  const { base64 } = await rpc(served, 'deliveries.body', { seq, offset: 0, length: 1024 });
  return Buffer.from(base64, 'base64');
}

/** The headers that Sume would send. */
export function signed(
  body: string | Uint8Array,
  at = Math.floor(Date.now() / 1000),
): Record<string, string> {
  const digest = createHmac('sha256', SECRET).update(`${at}.`).update(body).digest('hex');
  return {
    'Content-Type': 'application/json',
    'X-Sume-Timestamp': String(at),
    'X-Sume-Signature': `v1=${digest}`,
    'X-Sume-Event-Id': `evt_${randomUUID()}`,
  };
}

/** Sends exact bytes, signed unless other headers are given, and answers with the status. */
export async function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: HeadersInit = signed(body),
): Promise<number> {
  const answer = await fetch(url, { method: 'POST', body, headers });
  await answer.arrayBuffer();
  return answer.status;
}

/** Sends a body with header lines just as they are given, name after name, which `fetch` would fold. */
export function postRaw(url: string, headers: string[], body: string): Promise<number> {
  return new Promise((done, fail) => {
    const sent = request(url, {
      method: 'POST',
      headers: [...headers, 'Content-Length', `${Buffer.byteLength(body)}`],
    });
    sent.once('response', (answer) => {
      answer.resume();
      done(answer.statusCode ?? 0);
    });
    sent.once('error', fail);
    sent.end(body);
  });
}

/** What came of a burst. */
export type Burst = {
  statuses: Record<string, number>;
  /** When the last answer came, in milliseconds since the epoch. */
  ended: number;
  seconds: number;
};

/**
 * Sends many signed deliveries over so many seconds, from a process of its own; each `every`-th repeats a job. Their
 * bodies are short, or `like` real ones.
 */
export function burst(
  listener: string,
  count: number,
  seconds: number,
  every = 10,
  like: 'short' | 'sume' = 'short',
): Promise<Burst> {
  const plan = JSON.stringify({ url: `${listener}/hook`, secret: SECRET, count, seconds, every, like });
  const child = spawn(process.execPath, [join(import.meta.dirname, 'load.mjs'), plan], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((done, fail) => {
    createInterface({ input: child.stdout }).once('line', (line) => done(JSON.parse(line) as Burst));
    child.once('exit', (code) => fail(new Error(`the burst ended early (${code})`)));
  });
}

/** Sends a signed delivery of a job, and answers with its status. */
export function deliver(listener: string, job: string, path = '/hook', more: object = {}): Promise<number> {
  return post(
    listener + path,
    JSON.stringify({ event: 'job.completed', job_id: job, status: 'completed', ...more }),
  );
}
