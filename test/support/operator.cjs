// Runs the operator's commands, each in the environment that comes with it, in a process that stays for the whole run:
// starting one takes longer than most commands. It loads them for the first command, since most runs of tests have
// none.
const { createServer } = require('node:http');
const { json } = require('node:stream/consumers');
const { join } = require('node:path');
const { Writable } = require('node:stream');

const dist = join(__dirname, '../../dist');

async function run({ args, env }) {
  require('reflect-metadata');
  const cli = require(join(dist, 'apps/cli/cli.js'));
  const { loadConfig } = require(join(dist, 'libs/platform/config.js'));
  let stdout = '';
  let stderr = '';
  const out = (text) => {
    stdout += `${text}\n`;
  };
  const err = (text) => {
    stderr += `${text}\n`;
  };
  const output = new Writable({
    write(chunk, _encoding, written) {
      stdout += chunk;
      written();
    },
  });
  const code = await cli.run(args, { config: () => loadConfig(env), out, err, output });
  return { code, stdout, stderr };
}

const server = createServer(async (request, response) => {
  try {
    response.end(JSON.stringify(await run(await json(request))));
  } catch (error) {
    response.writeHead(500).end(error.stack);
  }
});
process.once('SIGTERM', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`));
