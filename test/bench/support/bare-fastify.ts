/** The least that a service could do: each request is one INSERT, and nothing is checked. */
import fastify from 'fastify';
import { Pool } from 'pg';

async function main(): Promise<void> {
  const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
  const app = fastify();
  app.get('/health/ready', async () => ({ status: 'ok' }));
  app.post('/workitems', async (request, reply) => {
    const { rows } = await pool.query({
      name: 'insert',
      text: `insert into plain (stream, type, data) values (gen_random_uuid(), 'WorkItemCreated', $1) returning stream`,
      values: [request.body],
    });
    return reply
      .status(201)
      .send({ success: true, data: { id: rows[0].stream, ...(request.body as object) } });
  });
  await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
  process.on('SIGTERM', () => app.close().then(() => pool.end()));
}

void main();
