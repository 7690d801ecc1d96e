/** The name of an operation, for clients and for people. */
export interface Names {
  operationId: string;
  summary: string;
}

interface Noun {
  /** `work items`, `a work item`, and `WorkItems`, `WorkItem`. */
  many: string;
  one: string;
  Many: string;
  One: string;
}

const usual: Record<string, (noun: Noun) => Names> = {
  create: ({ one, One }) => ({ operationId: `create${One}`, summary: `Create ${one}` }),
  list: ({ many, Many }) => ({ operationId: `list${Many}`, summary: `List ${many}` }),
  one: ({ one, One }) => ({ operationId: `get${One}`, summary: `Read ${one}` }),
  current: ({ one, One }) => ({
    operationId: `get${One}`,
    summary: `Read the caller's own ${one.replace(/^an? /, '')}`,
  }),
  update: ({ one, One }) => ({ operationId: `update${One}`, summary: `Change ${one}` }),
  remove: ({ one, One }) => ({ operationId: `delete${One}`, summary: `Delete ${one}` }),
  history: ({ one, One }) => ({ operationId: `get${One}History`, summary: `List the events of ${one}` }),
};

/** `WorkItemsWriteController.writeOff` is `writeOffWorkItem`, "Write off a work item". */
export function namesOf(controller: string, method: string): Names {
  const noun = nounOf(controller.replace(/(Read|Write)?Controller$/, ''));
  if (Object.hasOwn(usual, method)) return usual[method](noun);
  const ofMany = method.endsWith('Many');
  const summary = capital(words(`${method} `) + (ofMany ? noun.many : noun.one));
  return { operationId: ofMany ? method.replace(/Many$/, noun.Many) : method + noun.One, summary };
}

function nounOf(Many: string): Noun {
  const One = Many.endsWith('Settings') ? Many : Many.replace(/ies$/, 'y').replace(/s$/, '');
  const [many, single] = [words(Many), words(One)];
  return { many, one: `${/^[aeiou]/.test(single) ? 'an' : 'a'} ${single}`, Many, One };
}

/** A name as words: `workItem` becomes `work item`. */
export function words(name: string): string {
  return name.replaceAll(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

const capital = (text: string) => text[0].toUpperCase() + text.slice(1);
