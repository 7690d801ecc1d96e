import type { FastifyInstance } from 'fastify';
import { DomainError } from '#kernel/errors';
import { isDecodable } from '../percent-encoding';
import { pointed } from './json-pointer';

/**
 * Refuses a query that is not UTF-8 in percent-encoding (RFC 3986, section 2). The parser keeps what it cannot decode
 * as it is: words in another encoding would be searched for literally, and nothing would be found.
 */
export function refuseUndecodableQueries(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', ({ url }, _reply, _payload, done) => {
    const at = url.indexOf('?');
    const parameter =
      at === -1
        ? undefined
        : url
            .slice(at + 1)
            .split('&')
            .find((pair) => !isDecodable(pair));
    done(parameter === undefined ? undefined : undecodable(parameter));
  });
}

/** @param parameter name and value as they were sent */
function undecodable(parameter: string): DomainError {
  const [name] = parameter.split('=', 1);
  const message = `${isDecodable(name) ? decodeURIComponent(name) : 'A parameter'} is not UTF-8 in percent-encoding`;
  const pointer = isDecodable(name) ? `/${pointed(decodeURIComponent(name))}` : '';
  return new DomainError('malformed', 'invalid_query', message, [{ pointer, code: 'undecodable', message }]);
}
