import type { Answer } from '../support/client';

/** The answer is a problem document (RFC 9457, and what existing clients read) and reveals nothing internal. */
export function expectProblem(
  { status, headers, body }: Answer,
  wanted: number,
  code: string,
  pointer?: string,
): void {
  expect({ status, code: body?.code, detail: body?.detail }).toMatchObject({ status: wanted, code });
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(body).toEqual({
    type: expect.any(String),
    title: expect.any(String),
    status: wanted,
    detail: expect.stringMatching(/\S/),
    instance: expect.stringMatching(/^\//),
    code,
    errors: expect.any(Array),
    traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    success: false,
    reason: body.detail,
  });
  if (pointer !== undefined) expect(body.errors).toContainEqual(expect.objectContaining({ pointer }));
  for (const error of body.errors) {
    expect(error).toEqual({
      pointer: expect.any(String),
      code: expect.any(String),
      message: expect.any(String),
    });
  }
  expectNoInsides(JSON.stringify(body));
}

/** The text has no stack, no SQL, and no name of a table or a file. */
export function expectNoInsides(text: string): void {
  expect(text).not.toMatch(
    /node_modules|\.[jt]s:\d|\bat \w+ \(|event_store\.|read_model\.|platform\.\w+|select .* from /i,
  );
}
