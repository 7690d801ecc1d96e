import { createServer } from 'node:http';

/**
 * A receiver that answers at once, in a process of its own. Under `/lag/…` it notes how old a message's event was when
 * the message had arrived; under `/hang/…` it never answers; under `/fail/…` it answers 500. GET `/figures` returns and
 * resets the figures; GET `/count` only returns the number of messages.
 */
const lags: Record<string, number[]> = {};
let count = 0;
let first = 0;
let last = 0;

const server = createServer((request, response) => {
  const { url = '', method } = request;
  if (method === 'GET') {
    const answer = url === '/figures' ? JSON.stringify({ count, ms: last - first, lags }) : String(count);
    if (url === '/figures') {
      count = 0;
      for (const path of Object.keys(lags)) delete lags[path];
    }
    response.end(answer);
    return;
  }
  const chunks: Buffer[] = [];
  const notes = url.startsWith('/lag');
  request.on('data', (chunk: Buffer) => {
    if (notes) chunks.push(chunk);
  });
  request.on('end', () => {
    last = performance.now();
    if (count++ === 0) first = last;
    if (url.startsWith('/hang')) return;
    if (notes) {
      const { timestamp } = JSON.parse(Buffer.concat(chunks).toString());
      (lags[url] ??= []).push(Date.now() - new Date(timestamp).getTime());
    }
    response.writeHead(url.startsWith('/fail') ? 500 : 204).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
