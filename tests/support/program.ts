import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** The secret that everything in these tests is signed with. */
export const SECRET = 'test-secret';

/** A program of the workspace's debug build, from the folder that Cargo builds in. */
export function built(name: string): string {
  const folder = process.env.CARGO_TARGET_DIR ?? resolve(import.meta.dirname, '../../target');
  const path = join(folder, 'debug', name);
  if (!existsSync(path)) throw new Error(`${path} is missing: cargo build --workspace`);
  return path;
}

/** A temporary data folder, gone after the test. */
export function dataFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'hooktwice-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
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

export type Serving = {
  process: ChildProcess;
  /** The page with its token. */
  page: string;
  /** Where deliveries go. */
  listener: string;
  folder: string;
  stop(): Promise<void>;
};

/** `hooktwice serve` over a data folder, on free ports. */
export async function serve(options: { folder?: string; args?: string[] } = {}): Promise<Serving> {
  const own = options.folder ? undefined : dataFolder();
  const folder = options.folder ?? own!.path;
  const args = ['serve', '--json', '--port', '0', '--listen-port', '0', '--data-dir', folder];
  const child = spawn(built('hooktwice'), [...args, '--secret-env', 'HOOK_SECRET', ...(options.args ?? [])], {
    env: { ...process.env, HOOK_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const first = await new Promise<string>((done, fail) => {
    createInterface({ input: child.stdout }).once('line', done);
    child.once('exit', (code) => fail(new Error(`hooktwice serve ended at once (${code})`)));
  });
  const line = JSON.parse(first) as { type: string; token_url: string; listening: string };
  if (line.type !== 'serving') throw new Error(`hooktwice serve said ${first}`);
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    own?.remove();
  };
  return { process: child, page: line.token_url, listener: line.listening, folder, stop };
}

/** The headers that Sume would send. */
export function signed(body: string, at = Math.floor(Date.now() / 1000)): Record<string, string> {
  const digest = createHmac('sha256', SECRET).update(`${at}.`).update(body).digest('hex');
  return {
    'Content-Type': 'application/json',
    'X-Sume-Timestamp': String(at),
    'X-Sume-Signature': `v1=${digest}`,
    'X-Sume-Event-Id': `evt_${randomUUID()}`,
  };
}

/** Sends a signed delivery, and answers with its status. */
export async function deliver(listener: string, job: string, path = '/hook', more: object = {}): Promise<number> {
  const body = JSON.stringify({ event: 'job.completed', job_id: job, status: 'completed', ...more });
  const answer = await fetch(listener + path, { method: 'POST', body, headers: signed(body) });
  await answer.arrayBuffer();
  return answer.status;
}
