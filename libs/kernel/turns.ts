/** Runs tasks of the same name one after another, and tasks of different names side by side. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  async take<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.last.get(name) ?? Promise.resolve();
    const mine = before.then(task, task);
    this.last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.last.get(name) === mine) this.last.delete(name);
    }
  }
}
