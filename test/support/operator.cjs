// The operator's commands in a process that stays: to start one takes longer than most commands do.
const { join } = require('node:path');
const { Writable } = require('node:stream');
require('reflect-metadata');

const dist = join(__dirname, '../../dist');
const { run } = require(join(dist, 'apps/cli/cli.js'));
const { loadConfig } = require(join(dist, 'libs/platform/config.js'));

// What ends it with its parent lets it end by itself too.
process.channel.ref();
process.on('message', async ({ id, args }) => {
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
  const code = await run(args, { config: () => loadConfig(), out, err, output });
  process.send({ id, code, stdout, stderr });
});
