import type { Json } from './client';

/** An object as a form. `file` becomes a file with that text; fields that are null are left out. */
export function formOf({ file, ...fields }: Json): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== null) form.set(name, String(value));
  if (file !== undefined) form.set('file', new Blob([file]), 'file.bin');
  return form;
}
