import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describeService } from '../check/generated-files';

/** What the strictest set of rules asks for and this description leaves out on purpose. */
const rules = {
  'info-license': 'off',
  // the name of an area says what it holds
  'tag-description': 'off',
  // keys, health and metrics refuse nobody
  'operation-4xx-response': 'off',
  'no-invalid-media-type-examples': 'error',
  'no-invalid-schema-examples': 'error',
} as const;

it('is valid OpenAPI, its examples too', async () => {
  const config = await createConfig({ extends: ['recommended-strict'], rules });
  const source = JSON.stringify(await describeService());
  const problems = await lintFromString({ source, config });
  expect(problems.map(({ message, location }) => `${location[0].pointer}: ${message}`)).toEqual([]);
});
