/**
 * Settings of a broker that is also its controller and has one replica of everything. Clients reach it at 127.0.0.1. It
 * survives SIGKILL, but not a power cut.
 * @param node.host where it listens
 */
export function brokerSettings(node: {
  host: string;
  port: number;
  controllerPort: number;
  dataDir: string;
}): Record<string, string> {
  const controller = `127.0.0.1:${node.controllerPort}`;
  return {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@${controller}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: `PLAINTEXT://${node.host}:${node.port},CONTROLLER://${controller}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${node.port}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': node.dataDir,
    'auto.create.topics.enable': 'false',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'transaction.state.log.num.partitions': '1',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    'group.initial.rebalance.delay.ms': '0',
    'controller.quorum.election.timeout.ms': '100',
    // after SIGKILL the node can register again only when its former session has expired
    'broker.session.timeout.ms': '2000',
    'broker.heartbeat.interval.ms': '400',
    'log.cleaner.dedupe.buffer.size': '4194304', // 128 MB by default, allocated at the start
  };
}
