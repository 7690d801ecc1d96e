import { generate } from 'selfsigned';
import { authority, type Identity, serverIdentity } from '#platform/net/testing/certificates';

export interface ServerCertificate extends Identity {
  /** The signer's certificate, PEM. */
  readonly ca: string;
}

/** A certificate for localhost and 127.0.0.1, by an authority that no machine trusts. */
export async function localCertificate(): Promise<ServerCertificate> {
  const ca = await authority();
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + 24 * 3600 * 1000),
    ca,
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { key, cert, ca: ca.cert };
}

/** A certificate for localhost that expired yesterday and that no authority signed. */
export function expiredCertificate(): Promise<Identity> {
  return serverIdentity('localhost', { hasExpired: true });
}
