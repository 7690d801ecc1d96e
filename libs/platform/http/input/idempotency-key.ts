import { ApiHeader } from '@nestjs/swagger';

/** Describes the header that makes a request safe to repeat. */
export const ApiIdempotencyKey = () =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'A key of your choice that makes the request safe to repeat for 24 hours: repeated with the same key, it is ' +
      'answered as the first time and not carried out again. 1 to 255 characters of printable ASCII.',
    schema: { type: 'string', pattern: '^[ -~]{1,255}$' },
  });
