import { ApiHeader } from '@nestjs/swagger';

/** Describes the header by which a request is safe to repeat. */
export const ApiIdempotencyKey = () =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'Makes the request safe to repeat for 24 hours. Printable ASCII.',
    schema: { type: 'string', pattern: '^[ -~]{1,255}$' },
  });
