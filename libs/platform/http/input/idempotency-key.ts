import { ApiHeader } from '@nestjs/swagger';

/** Describes the header that makes a request safe to repeat. */
export const ApiIdempotencyKey = () =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'Makes the request safe to repeat for 24 hours. Printable ASCII.',
    schema: { type: 'string', pattern: '^[ -~]{1,255}$' },
  });
