import { DatabaseError } from 'pg';
import { fromStore } from './outage';

describe('a query of the store that fails', () => {
  const failing = (severity: string, code: string) => {
    const error = Object.assign(new DatabaseError('failed', 0, 'error'), { severity, code });
    return fromStore(() => Promise.reject(error), 'Not known.');
  };

  it('finds it away when its database takes no connections', async () => {
    await expect(failing('FATAL', '3D000')).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(failing('FATAL', '55000')).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('finds it away when a statement was ended, or it takes no writes', async () => {
    await expect(failing('ERROR', '57014')).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(failing('ERROR', '25006')).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('tells of a fault as it is', async () => {
    await expect(failing('ERROR', '22012')).rejects.toMatchObject({ code: '22012' });
  });
});
