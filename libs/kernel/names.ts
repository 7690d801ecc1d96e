import { invalid } from './errors';

const MAX_NAME = 200;

/** Whether people can tell it by: not blank, of at most 200 characters, none of which is a control character. */
export function isName(text: string): boolean {
  return text.trim() !== '' && [...text].length <= MAX_NAME && !/\p{Cc}/u.test(text);
}

/** A text in the one form in which it is told from others: letters that look alike are alike, and nothing is around it. */
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
