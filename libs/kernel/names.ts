import { invalid } from './errors';

const MAX_NAME = 200;

/** Whether a text can be a name: not blank, at most 200 characters, no control characters. */
export function isName(text: string): boolean {
  return text.trim() !== '' && [...text].length <= MAX_NAME && !/\p{Cc}/u.test(text);
}

/** A text in the form in which texts are compared: Unicode NFC, without white space at its ends. */
export function normalised(text: string): string {
  return text.normalize('NFC').trim();
}

/** @throws DomainError name_invalid */
export function checkName(text: string): void {
  if (!isName(text))
    throw invalid(
      'name_invalid',
      `A name has 1 to ${MAX_NAME} characters, not blanks alone, and no control characters.`,
      'name',
    );
}
