import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './listen';
import { post } from './program';

export type StandIn = {
  /** What belongs in the settings. */
  base: string;
  /** The key that it takes. */
  key: string;
  /** Sume's word for each job. */
  jobs: Map<string, string>;
  /** Where a redelivery goes. */
  webhook: string;
  /** What it was asked, as `POST /v1/…`. */
  asked: string[];
  /** The next request is refused with this. */
  refuse: { status: number; message: string } | undefined;
  stop(): Promise<void>;
};

/** The three routes of Sume's API that the pages ask, on a free port. */
export async function standIn(): Promise<StandIn> {
  let requests = 0;
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => send(response, status, body));
  });

  async function answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const route = `${request.method} ${request.url}`;
    self.asked.push(route);
    const text = await read(request);
    if (request.headers['x-api-key'] !== self.key)
      return failure(401, 'unauthorized', 'The key is not known.');
    if (self.refuse) {
      const { status, message } = self.refuse;
      self.refuse = undefined;
      return failure(status, 'refused', message);
    }
    if (route === 'POST /v1/webhooks/test-deliveries') {
      const { url } = JSON.parse(text) as { url: string };
      await post(url, JSON.stringify({ event: 'webhook.test', message: 'Hello' }));
      return { status: 202, body: { data: { url } } };
    }
    const job = /^\/v1\/jobs\/([^/]+)\//.exec(request.url ?? '')?.[1] ?? '';
    const word = self.jobs.get(job);
    if (word === undefined) return failure(404, 'not_found', `There is no job ${job}.`);
    if (route.endsWith('/status')) return { status: 200, body: { data: { job: { id: job, status: word } } } };
    await post(self.webhook, JSON.stringify({ event: 'job.completed', job_id: job, status: word }));
    return { status: 202, body: { data: { job_id: job } } };
  }

  function send(response: ServerResponse, status: number, body: object): void {
    requests += 1;
    const id = `req_${requests}`;
    response.writeHead(status, { 'Content-Type': 'application/json', 'X-Request-Id': id });
    response.end(JSON.stringify({ ...body, request_id: id }));
  }

  const port = await listen(server);
  const self: StandIn = {
    base: `http://127.0.0.1:${port}/v1`,
    key: 'sk-stand-in-key-4d1c',
    jobs: new Map(),
    webhook: '',
    asked: [],
    refuse: undefined,
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
  return self;
}

function failure(status: number, code: string, message: string): { status: number; body: object } {
  return { status, body: { error: { code, message } } };
}

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
