import { waitFor } from './wait-for';

describe('waitFor', () => {
  it('gives the first truthy result', async () => {
    let calls = 0;
    expect(
      await waitFor(() => (++calls === 3 ? 'there' : undefined), { description: 'the third call' }),
    ).toBe('there');
  });

  it('names what did not happen', async () => {
    await expect(waitFor(() => false, { timeoutMs: 30, description: 'the end of time' })).rejects.toThrow(
      'Waited 30 ms in vain for the end of time',
    );
  });
});
