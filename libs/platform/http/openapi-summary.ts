const phrases: Record<string, (many: string, one: string) => string> = {
  create: (_many, one) => `Create ${one}`,
  list: (many) => `List ${many}`,
  one: (_many, one) => `Read ${one}`,
  current: (_many, one) => `Read the caller's own ${one.replace(/^an? /, '')}`,
  update: (_many, one) => `Change ${one}`,
  remove: (_many, one) => `Delete ${one}`,
  history: (_many, one) => `List the events of ${one}`,
};

/** What an operation does, from its id: `workItems_writeOff` is "Write off a work item". */
export function summaryOf(operationId: string): string {
  const [area, method] = operationId.split('_');
  const many = words(area);
  const single = many.replace(/ies$/, 'y').replace(/s$/, '');
  const one = `${/^[aeiou]/.test(single) ? 'an' : 'a'} ${single}`;
  if (Object.hasOwn(phrases, method)) return phrases[method](many, one);
  const action = words(method);
  const sentence = `${action} ${action.endsWith(' many') ? many : one}`;
  return sentence[0].toUpperCase() + sentence.slice(1);
}

const words = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
