import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import { definitions } from './areas';
import {
  foldSamples,
  type Samples,
  sampleGaps,
  shapeDifferences,
  storedSamples,
  unseen,
  upcastSteps,
} from './testing/event-samples';

const samples = storedSamples();

describe('the stored samples of events', () => {
  it('exist for every event type and schema version, and for nothing else', () => {
    expect(sampleGaps(definitions, samples)).toEqual([]);
  });

  it.each(definitions.map((definition) => [definition.kind, definition] as const))(
    'of %s upcast to exactly the sample of the next version, and fold',
    (_, definition) => {
      for (const { upcast, sample } of upcastSteps(definition, samples)) expect(upcast).toEqual(sample);
      const [folded] = foldSamples(definition, samples);
      expect(folded.version).toBe(Object.keys(definition.events).length);
    },
  );
});

/** Made up: an event whose name was once called label, and which had no code. */
const Thing: StreamDefinition<{ name: string; code: string }, DomainEvent> = {
  kind: 'division',
  foldVersion: 1,
  events: {
    ThingMade: [
      ({ label, ...rest }) => ({ ...rest, name: label }),
      (data) => ({ ...data, code: data.name.slice(0, 3) }),
    ],
  },
  evolve: (_, event) => event.data as { name: string; code: string },
  isDeleted: () => false,
  links: () => [],
  keys: () => [],
};
const things: Samples = {
  ThingMade: { 1: { label: 'Thing' }, 2: { name: 'Thing' }, 3: { name: 'Thing', code: 'Thi' } },
};

describe('the check of samples', () => {
  it('finds nothing wrong with correct samples', () => {
    expect(sampleGaps([Thing], things)).toEqual([]);
    for (const { upcast, sample } of upcastSteps(Thing, things)) expect(upcast).toEqual(sample);
    expect(foldSamples(Thing, things).map(({ data }) => data)).toEqual(Array(3).fill(things.ThingMade[3]));
  });

  it('finds a version without a sample, and samples of an unknown version or type', () => {
    const { 2: _, ...others } = things.ThingMade;
    expect(sampleGaps([Thing], { ThingMade: { ...others, 4: {} }, Odd: { 1: {} } })).toEqual([
      'no sample of ThingMade 2',
      'nothing defines ThingMade 4',
      'nothing defines Odd 1',
    ]);
  });

  it('finds a sample that is not what the sample of the version before is upcast to', () => {
    const wrong = { ThingMade: { ...things.ThingMade, 2: { name: 'Other' } } };
    const steps = upcastSteps(Thing, wrong);
    expect(steps.map(({ upcast, sample }) => JSON.stringify(upcast) === JSON.stringify(sample))).toEqual([
      false,
      false,
    ]);
  });

  it('finds a sample that cannot be upcast or folded', () => {
    const broken = { ThingMade: { ...things.ThingMade, 1: {} } };
    expect(() => foldSamples(Thing, broken)).toThrow('its upcaster from schema version 2 failed');
  });

  it('finds data of another shape than the sample', () => {
    const sample = { name: 'Thing', rate: { amount: '1' }, tags: ['a'], count: 1 };
    const differences = (data: object, partial = false) => shapeDifferences(sample, data, partial);
    expect(differences({ name: null, rate: { amount: '2' }, tags: [], count: 2 })).toEqual([]);
    expect(differences({ count: 2 }, true)).toEqual([]);
    expect(differences({ name: 1, rate: { cents: 1 }, tags: [1], total: 1 })).toEqual([
      '/name is number, not string',
      '/rate/cents is new',
      '/rate/amount is gone',
      '/tags[] is number, not string',
      '/total is new',
      '/count is gone',
    ]);
  });

  it('finds a value of a sample that no event has', () => {
    const sample = { name: 'Thing', rate: { amount: '1' }, tags: ['a'] };
    expect(unseen(sample, [{ name: 'x', rate: null, tags: [] }, { rate: { amount: null } }])).toEqual([
      '/rate/amount',
      '/tags[]',
    ]);
    expect(unseen({ movement: null }, [{ movement: null }])).toEqual([]);
    expect(unseen({}, [{}])).toEqual([]);
    expect(unseen({}, [])).toEqual(['']);
  });
});
