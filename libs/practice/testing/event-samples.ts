import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Codec } from '#event-store/codec';
import { type AnyDefinition, Definitions, type Folded, fold } from '#event-store/events';
import { SubjectKeys } from '#event-store/subject-keys';
import { Secrets } from '#platform/secrets';

/** Data of stored events, by event type and schema version. Each field that can have a value has one. */
export type Samples = Record<string, Record<string, object>>;

/** Reads the samples of every area from `<record>.samples.json` beside its events. */
export function storedSamples(): Samples {
  const practice = join(__dirname, '..');
  const files = readdirSync(practice, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.samples.json'))
    .map((name) => JSON.parse(readFileSync(join(practice, name), 'utf8')) as Samples);
  const all = files.flatMap((samples) => Object.entries(samples));
  const names = all.map(([type]) => type);
  const twice = names.filter((type, index) => names.indexOf(type) !== index);
  if (twice.length > 0) throw new Error(`Samples in two files: ${twice.join(', ')}`);
  return Object.fromEntries(all);
}

/** The schema versions of every event type of a definition. */
function versionsOf(definition: AnyDefinition): { type: string; versions: string[] }[] {
  return Object.entries(definition.events).map(([type, upcasters]) => ({
    type,
    versions: Array.from({ length: upcasters.length + 1 }, (_, index) => String(index + 1)),
  }));
}

/** The samples that are missing, and those that do not belong to the definitions. */
export function sampleGaps(definitions: readonly AnyDefinition[], samples: Samples): string[] {
  const name = (type: string, version: string) => `${type} ${version}`;
  const wanted = definitions
    .flatMap(versionsOf)
    .flatMap(({ type, versions }) => versions.map((version) => name(type, version)));
  const present = Object.entries(samples).flatMap(([type, byVersion]) =>
    Object.keys(byVersion).map((version) => name(type, version)),
  );
  return [
    ...wanted.filter((one) => !present.includes(one)).map((one) => `no sample of ${one}`),
    ...present.filter((one) => !wanted.includes(one)).map((one) => `nothing defines ${one}`),
  ];
}

/** Each sample after an upcast by one version, together with the sample of that version. */
export function upcastSteps(definition: AnyDefinition, samples: Samples) {
  return versionsOf(definition).flatMap(({ type, versions }) =>
    versions.slice(1).map((version, index) => ({
      step: `${type} ${version}`,
      upcast: definition.events[type][index](structuredClone(samples[type][versions[index]])),
      sample: samples[type][version],
    })),
  );
}

/**
 * Folds streams that contain one event of each type, in the order of the definition, as the store reads them. The first
 * stream has each type's first version, the second one the second version (or the last, if there is none), and so on.
 * @throws the errors of the codec, evolve, links and keys
 */
export function foldSamples(definition: AnyDefinition, samples: Samples): Folded[] {
  const codec = new Codec(new Definitions([definition]), new SubjectKeys(new Secrets(Buffer.alloc(32))));
  const types = versionsOf(definition);
  const rounds = Math.max(...types.map(({ versions }) => versions.length));
  return Array.from({ length: rounds }, (_, round) => {
    let folded: Folded | undefined;
    for (const { type, versions } of types) {
      const schema = versions[Math.min(round, versions.length - 1)];
      const version = (folded?.version ?? 0) + 1;
      const row = rowOf(type, Number(schema), version, samples[type][schema]);
      folded = fold(definition, folded, codec.decodeEvent(row));
      definition.links(folded.data);
      definition.keys(folded.data);
    }
    return folded!;
  });
}

function rowOf(type: string, schema_version: number, version: number, data: object) {
  return {
    tenant_id: 1,
    stream_id: '01900000-0000-7000-8000-000000000000',
    event_id: '',
    partition: 0,
    type,
    schema_version,
    version,
    data: structuredClone(data) as Record<string, unknown>,
    at: `1.${version}.1`,
    recorded_at: new Date(0),
    wrapped: null,
    metadata: { actor: 'a', correlationId: 'c', source: 'rest' },
  };
}

/**
 * The differences in shape between data and a sample: other keys, or values of another JSON type. null equals every
 * type. In a partial event keys may be missing, because an update contains only the changes.
 */
export function shapeDifferences(sample: unknown, data: unknown, partial: boolean, path = ''): string[] {
  if (data === null || sample === null) return [];
  if (typeOf(sample) !== typeOf(data)) return [`${path} is ${typeOf(data)}, not ${typeOf(sample)}`];
  if (Array.isArray(data) && Array.isArray(sample)) {
    return data.flatMap((item) => shapeDifferences(sample[0], item, false, `${path}[]`));
  }
  if (typeof data !== 'object') return [];
  const [expected, found] = [sample, data] as Record<string, unknown>[];
  return [
    ...Object.keys(found).flatMap((key) =>
      key in expected
        ? shapeDifferences(expected[key], found[key], false, `${path}/${key}`)
        : [`${path}/${key} is new`],
    ),
    ...(partial
      ? []
      : Object.keys(expected)
          .filter((key) => !(key in found))
          .map((key) => `${path}/${key} is gone`)),
  ];
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

/**
 * The paths of a sample's values that no data has, so that the sample claims values that are never written. null claims
 * nothing: it is for fields that never have a value.
 */
export function unseen(sample: unknown, data: unknown[], path = ''): string[] {
  if (sample === null) return [];
  const given = data.filter((one) => one !== null && one !== undefined);
  if (given.length === 0) return [path];
  if (Array.isArray(sample)) {
    return sample.flatMap((item) => unseen(item, given.flat(), `${path}[]`));
  }
  if (typeof sample !== 'object') return [];
  return Object.entries(sample as object).flatMap(([key, value]) =>
    unseen(
      value,
      given.map((one) => (one as Record<string, unknown>)[key]),
      `${path}/${key}`,
    ),
  );
}
