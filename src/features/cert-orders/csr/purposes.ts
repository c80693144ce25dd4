export const KEY_USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const

/** What a key may be used for; those for web servers come first. */
export const PURPOSES: Readonly<Record<string, string>> = {
  '1.3.6.1.5.5.7.3.1': 'serverAuth',
  '1.3.6.1.5.5.7.3.2': 'clientAuth',
  '1.3.6.1.5.5.7.3.3': 'codeSigning',
  '1.3.6.1.5.5.7.3.4': 'emailProtection',
  '1.3.6.1.5.5.7.3.5': 'ipsecEndSystem',
  '1.3.6.1.5.5.7.3.6': 'ipsecTunnel',
  '1.3.6.1.5.5.7.3.7': 'ipsecUser',
  '1.3.6.1.5.5.7.3.8': 'timeStamping',
  '1.3.6.1.5.5.7.3.9': 'OCSPSigning',
  '1.3.6.1.5.5.7.3.17': 'ipsecIKE',
  '1.3.6.1.4.1.311.10.3.4': 'encrypted files (Microsoft)',
  '1.3.6.1.4.1.311.10.3.12': 'document signing (Microsoft)',
  '1.3.6.1.4.1.311.20.2.2': 'smart card logon (Microsoft)',
  '1.3.6.1.5.2.3.5': 'Kerberos domain controller',
  '2.5.29.37.0': 'any purpose',
}

/** What a certificate for a web server is used for; anything beside it deserves a look. */
export const USUAL_PURPOSES: ReadonlySet<string> = new Set(['serverAuth', 'clientAuth'])
