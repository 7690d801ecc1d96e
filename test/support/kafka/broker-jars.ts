import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '../wait-for';

const pom = join(__dirname, 'pom.xml');
const cache = join(__dirname, '../../../node_modules/.cache/kafka');
const DOWNLOAD_MS = 600_000;

/** Kafka's version, from the pom.xml. */
export const kafkaVersion = /<kafka\.version>(.+)<\/kafka\.version>/.exec(readFileSync(pom, 'utf8'))![1];

const folder = join(cache, kafkaVersion);
/** A copy of the pom.xml to which the jars belong. If the pom.xml differs, they are fetched again. */
const stamp = join(folder, 'pom.xml');

/** Whether Kafka's jars can run here: with Java 17, and the jars or Maven to fetch them. */
export function canRunJars(): boolean {
  const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const java = Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
  return java >= 17 && (isFetched() || spawnSync('mvn', ['--version']).status === 0);
}

/**
 * Java's class path of the broker. The jars are fetched from Maven Central once, into node_modules/.cache.
 * @throws with Maven's output when that fails
 */
export async function brokerClassPath(): Promise<string> {
  if (!isFetched()) {
    mkdirSync(cache, { recursive: true });
    await withLock(`${folder}.lock`, async () => {
      if (!isFetched()) await fetchJars();
    });
  }
  return join(folder, '*');
}

function isFetched(): boolean {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(pom, 'utf8');
}

/** Fetches the jars into another folder, which is renamed when it is complete. */
async function fetchJars(): Promise<void> {
  process.stderr.write(`Fetching Kafka ${kafkaVersion} …\n`);
  const partial = `${folder}.${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  try {
    await maven('dependency:copy-dependencies', `-DoutputDirectory=${partial}`);
    cpSync(pom, join(partial, 'pom.xml'));
    rmSync(folder, { recursive: true, force: true });
    renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

async function maven(...args: string[]): Promise<void> {
  try {
    await promisify(execFile)('mvn', ['-q', '-B', '-f', pom, ...args], { timeout: DOWNLOAD_MS });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`Maven cannot fetch Kafka ${kafkaVersion}:\n${stdout}${stderr}`, { cause: error });
  }
}

/** Lets one process at a time do the work. The lock of a process that has ended is ignored. */
async function withLock(file: string, work: () => Promise<void>): Promise<void> {
  await waitFor(() => isLocked(file), { timeoutMs: DOWNLOAD_MS, description: `the lock ${file}` });
  try {
    await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function isLocked(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (isLeftOver(file)) rmSync(file, { force: true });
  return false;
}

function isLeftOver(lock: string): boolean {
  try {
    return !process.kill(Number(readFileSync(lock, 'utf8')), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
