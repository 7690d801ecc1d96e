import { DatabaseError } from 'pg';
import { fromStore } from './outage';

describe('a query of the store that fails', () => {
  const failing = (severity: string, code: string) => {
    const error = Object.assign(new DatabaseError('failed', 0, 'error'), { severity, code });
    return fromStore(() => Promise.reject(error), 'Not known.', 'Undone.');
  };

  it('tells that the store is unavailable when its database takes no connections', async () => {
    await expect(failing('FATAL', '3D000')).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(failing('FATAL', '55000')).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('tells that the store is unavailable when a statement was cancelled, or the database takes no writes', async () => {
    await expect(failing('ERROR', '57014')).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(failing('ERROR', '25006')).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('tells that nothing was changed when the server refuses the statement, but not when the server goes away', async () => {
    await expect(failing('ERROR', '53100')).rejects.toMatchObject({ message: 'Undone.' });
    await expect(failing('FATAL', '57P01')).rejects.toMatchObject({ message: 'Not known.' });
    await expect(
      fromStore(() => Promise.reject(new Error('read ECONNRESET')), 'Not known.', 'Undone.'),
    ).rejects.toMatchObject({ message: 'Not known.' });
  });

  it('keeps any other error as it is', async () => {
    await expect(failing('ERROR', '22012')).rejects.toMatchObject({ code: '22012' });
  });
});
