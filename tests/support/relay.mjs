// A tunnel of the smallest kind: `node relay.mjs PORT` takes connections on a free port, passes them on, and says where.
import { connect, createServer } from 'node:net';

const port = Number(process.argv[2]);
const server = createServer((near) => {
  const far = connect(port, '127.0.0.1');
  near.pipe(far).pipe(near);
  for (const [one, other] of [
    [near, far],
    [far, near],
  ]) {
    one.on('error', () => other.destroy());
  }
});
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`tunnel is at http://127.0.0.1:${server.address().port}\n`),
);
