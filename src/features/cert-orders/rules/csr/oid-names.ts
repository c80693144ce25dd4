/**
 * Names of the object identifiers that programs put into requests, besides the parts of a subject (names.ts): from RFC 5280, PKCS #9, and
 * Microsoft. Rarer ones are shown as numbers, and get a warning.
 */
const OID_NAMES: Readonly<Record<string, string>> = {
  // Extensions
  '2.5.29.14': 'Subject key identifier',
  '2.5.29.15': 'Key usage',
  '2.5.29.19': 'Basic constraints',
  '2.5.29.30': 'Name constraints',
  '2.5.29.31': 'CRL distribution points',
  '2.5.29.32': 'Certificate policies',
  '2.5.29.35': 'Authority key identifier',
  '2.5.29.36': 'Policy constraints',
  '2.5.29.37': 'Extended key usage',
  '2.5.29.54': 'Inhibit any policy',
  '1.3.6.1.5.5.7.1.1': 'Authority information access',
  '1.3.6.1.5.5.7.1.24': 'TLS feature',
  '1.3.6.1.5.5.7.48.1.5': 'OCSP no check',
  '2.16.840.1.113730.1.1': 'Netscape certificate type',
  '2.16.840.1.113730.1.13': 'Netscape comment',
  '1.3.6.1.4.1.311.20.2': 'Microsoft certificate template name',
  '1.3.6.1.4.1.311.21.7': 'Microsoft certificate template',
  '1.3.6.1.4.1.311.21.10': 'Microsoft application policies',
  '1.3.6.1.4.1.311.25.2': 'Microsoft security identifier',
  // Attributes
  '1.2.840.113549.1.9.2': 'Unstructured name',
  '1.2.840.113549.1.9.7': 'Challenge password',
  '1.3.6.1.4.1.311.13.2.1': 'Windows enrollment name and value',
  '1.3.6.1.4.1.311.13.2.2': 'Windows key provider',
  '1.3.6.1.4.1.311.13.2.3': 'Windows version',
  '1.3.6.1.4.1.311.21.20': 'Windows client',
  // Rarer parts of a subject
  '2.5.4.13': 'description',
  '2.5.4.65': 'pseudonym',
  // Other names
  '1.3.6.1.4.1.311.20.2.3': 'UPN',
  '1.3.6.1.4.1.311.25.1': 'GUID',
  '1.3.6.1.5.5.7.8.7': 'SRV',
  // Purposes
  '1.3.6.1.5.5.7.3.1': 'serverAuth',
  '1.3.6.1.5.5.7.3.2': 'clientAuth',
  '1.3.6.1.5.5.7.3.3': 'codeSigning',
  '1.3.6.1.5.5.7.3.4': 'emailProtection',
  '1.3.6.1.5.5.7.3.8': 'timeStamping',
  '1.3.6.1.5.5.7.3.9': 'OCSPSigning',
  '1.3.6.1.5.5.7.3.17': 'ipsecIKE',
  '1.3.6.1.4.1.311.20.2.2': 'smartcardLogon',
  '1.3.6.1.4.1.311.54.1.2': 'remoteDesktop',
  '2.5.29.37.0': 'anyExtendedKeyUsage',
}

/** The name of an object identifier; the identifier itself if it has none here. */
export const nameOid = (oid: string): string => OID_NAMES[oid] ?? oid
