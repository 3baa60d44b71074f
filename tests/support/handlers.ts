import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { dataFolder, SECRET } from './program';

const HANDLERS = resolve(import.meta.dirname, '../handlers');

/** A sample handler that runs. */
export type Handler = {
  /** Where deliveries go. */
  url: string;
  /** How often an effect ran, with `{job_id}` in it. */
  effects: string;
  stop(): Promise<void>;
};

/** Starts a sample handler of `tests/handlers` on a free port, with a store of its own. */
export async function handler(file: string): Promise<Handler> {
  const store = dataFolder();
  const program = file.endsWith('.py') ? 'python3' : process.execPath;
  const child = spawn(program, [join(HANDLERS, file), '--port', '0'], {
    env: { ...process.env, HOOK_SECRET: SECRET, HOOK_STORE: join(store.path, 'effects') },
    // What it says of work that was made to fail is not ours.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const line = await new Promise<string>((done, fail) => {
    createInterface({ input: child.stdout }).once('line', done);
    child.once('exit', (code) => fail(new Error(`${file} ended at once (${code})`)));
  });
  const origin = line.replace(/^listening /, '');
  return {
    url: `${origin}/hook`,
    effects: `${origin}/effects/{job_id}`,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      store.remove();
    },
  };
}
