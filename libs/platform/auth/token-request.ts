import OAuth2Server from '@node-oauth/oauth2-server';

const { InvalidClientError, InvalidRequestError } = OAuth2Server;

/**
 * The parameters of a token request, with the client's credentials from the form or from HTTP Basic. An empty parameter
 * counts as absent, and none may be repeated (RFC 6749 section 3.2).
 * @throws InvalidRequestError, InvalidClientError
 */
export function readTokenRequest(form: string, authorization: string | undefined): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(form)) {
    if (Object.hasOwn(parameters, name))
      throw new InvalidRequestError(`The parameter ${printable(name)} is given more than once.`);
    if (value !== '') parameters[name] = value;
  }
  if (authorization === undefined) return parameters;

  const basic = basicCredentials(authorization);
  if (!basic) throw new InvalidClientError('The Authorization header holds no HTTP Basic credentials.');
  if (parameters.client_secret !== undefined)
    throw new InvalidRequestError('Give the credentials in the form or by HTTP Basic, not both.');
  if (parameters.client_id !== undefined && parameters.client_id !== basic.client_id)
    throw new InvalidRequestError('client_id is not the one of the Authorization header.');
  return { ...parameters, ...basic };
}

/** RFC 6749 section 2.3.1: both parts are form-encoded before they are joined. */
function basicCredentials(header: string): { client_id: string; client_secret: string } | undefined {
  const encoded = /^Basic +([\w+/]+=*) *$/i.exec(header)?.[1];
  const match = encoded && /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8'));
  return match ? { client_id: formDecoded(match[1]), client_secret: formDecoded(match[2]) } : undefined;
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // Many clients send the credentials unencoded, and they may contain a bare %.
    return text;
  }
}

/** RFC 6749 section 5.2 allows these characters in an error_description. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?').slice(0, 50);
}
