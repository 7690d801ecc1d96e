import { utbms } from './utbms';

describe('utbms', () => {
  it('names every code once', () => {
    const codes = utbms.map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    const count = (set: string) => codes.filter((code) => code.startsWith(set)).length;
    expect(['L', 'P', 'C', 'B', 'A'].map(count)).toEqual([34, 16, 4, 25, 11]);
  });

  it('puts every task into a phase of its set, and activities into none', () => {
    const codes = new Set(utbms.map(({ code }) => code));
    for (const { code, name, phaseCode, taskCode, activityCode } of utbms) {
      expect(name).toMatch(/\S/);
      if (code.startsWith('A')) {
        expect({ phaseCode, taskCode, activityCode }).toEqual({
          phaseCode: null,
          taskCode: null,
          activityCode: code,
        });
        continue;
      }
      expect(phaseCode).toBe(`${code.slice(0, 2)}00`);
      expect(codes).toContain(phaseCode);
      expect(activityCode).toBeNull();
      expect([code, null]).toContain(taskCode);
    }
  });

  it('gives a task code to tasks, and to phases that have no tasks', () => {
    const find = (wanted: string) => utbms.find(({ code }) => code === wanted);
    expect(find('L100')).toMatchObject({ phaseCode: 'L100', taskCode: null });
    expect(find('L120')).toMatchObject({ phaseCode: 'L100', taskCode: 'L120', name: 'Analysis/Strategy' });
    expect(find('C300')).toMatchObject({ phaseCode: 'C300', taskCode: 'C300' });
  });
});
