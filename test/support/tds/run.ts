/** Runs a TdsServer in its own process, controlled by its parent process: see tds-process.ts. */
import type { TdsCommand, TdsReply } from './tds-process';
import { TdsServer } from './tds-server';

let server: TdsServer | undefined;

async function obey(command: TdsCommand): Promise<TdsReply['answer']> {
  if (command.does === 'start') {
    server = await TdsServer.start(command.options);
    const { port, host, caCertificate } = server;
    return { port, host, caCertificate };
  }
  if (!server) throw new Error('It has not been started');
  if (command.does === 'fail') Object.assign(server.faults, command.faults);
  const { connections, logins, queries } = server;
  return { connections, logins: [...logins], queries: [...queries] };
}

process.on('message', (command: TdsCommand) => {
  const reply = (content: Omit<TdsReply, 'id'>) => process.send?.({ id: command.id, ...content });
  obey(command).then(
    (answer) => reply({ answer }),
    (error) => reply({ error: error.message }),
  );
});
process.on('disconnect', () => server?.close());
