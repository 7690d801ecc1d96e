import { generate } from 'selfsigned';

/** The key and the certificate in PEM. */
export interface Identity {
  key: string;
  cert: string;
}

const day = 24 * 3600 * 1000;

/** A certificate authority that no machine trusts. */
export async function authority(): Promise<Identity> {
  const extensions = [
    { name: 'basicConstraints' as const, cA: true, critical: true },
    { name: 'keyUsage' as const, keyCertSign: true, critical: true },
  ];
  return identity('Test authority', { extensions });
}

/** The identity of a server with a name; self-signed without an authority. */
export async function serverIdentity(
  name: string,
  { ca, hasExpired = false }: { ca?: Identity; hasExpired?: boolean } = {},
): Promise<Identity> {
  const notAfterDate = new Date(Date.now() + (hasExpired ? -day : day));
  const extensions = [{ name: 'subjectAltName' as const, altNames: [{ type: 2 as const, value: name }] }];
  return identity(name, { ca, notAfterDate, extensions });
}

async function identity(name: string, options: Parameters<typeof generate>[1]): Promise<Identity> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - 10 * day),
    notAfterDate: new Date(Date.now() + day),
    ...options,
  });
  return { key, cert };
}
