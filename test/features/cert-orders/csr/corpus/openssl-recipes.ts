/** How openssl creates a request: arguments for the key, and lines of the configuration file. */
export interface Recipe {
  name: string
  key?: readonly string[]
  sign?: readonly string[]
  subject?: readonly string[]
  extensions?: readonly string[]
  attributes?: readonly string[]
}

const SAN = 'subjectAltName=DNS:shop.bank.com'
const hosts = (count: number): string =>
  `subjectAltName=${Array.from({ length: count }, (_, at) => `DNS:h${at}.bank.com`).join(',')}`

const SUBJECTS: readonly (readonly string[])[] = [
  ['CN=shop.bank.com'],
  ['CN=shop.bank.com', 'O=Bank', 'C=SE'],
  ['C=SE', 'ST=Skåne', 'L=Malmö', 'O=Bank & Sons, Inc.', 'OU=Web', 'CN=shop.bank.com'],
  ['O=Bank'],
  ['CN=shop.bank.com', 'emailAddress=a@bank.com'],
  ['DC=com', 'DC=bank', 'CN=shop'],
  ['CN=other.bank.com'],
  ['0.CN=shop.bank.com', '1.CN=evil.example.net'],
  ['CN=shop.bank.com', 'serialNumber=4711'],
  ['CN=shop.bank.com', 'O="quoted" + plus'],
  ['CN=shop.bank.com', 'O=semi\\;colon <b>'],
  ['CN=*.bank.com'],
  ['CN=192.0.2.1'],
  ['CN=Ünïcödé.bank.com'],
  ['CN=shop.bank.com', 'title=Dr', 'SN=Roe', 'GN=Jane', 'initials=J'],
]

const NAMES = [
  'DNS:shop.bank.com',
  'DNS:shop.bank.com,DNS:www.bank.com',
  'DNS:*.bank.com',
  'DNS:*.com',
  'DNS:localhost',
  'DNS:xn--mller-kva.de',
  'IP:192.0.2.1',
  'IP:2001:db8::1',
  'IP:::1',
  'IP:10.0.0.1,IP:fe80::1:0:0:1',
  'email:a@bank.com',
  'URI:https://bank.com/a?b=c',
  'URI:spiffe://bank/a',
  'DNS:shop.bank.com.',
  'DNS:co.uk,DNS:*.co.uk',
  'IP:255.255.255.255',
  'IP:2001:db8:0:1:1:1:1:1',
  'IP:::ffff:192.0.2.1',
  'DNS:1.2.3.4',
  'RID:1.2.840.113549',
  'otherName:1.3.6.1.4.1.311.20.2.3;UTF8:jane@bank.com',
  'otherName:1.2.3.4;UTF8:x',
  'critical,DNS:shop.bank.com',
  'DNS:shop.bank.com,DNS:shop.bank.com',
  'DNS:SHOP.bank.com,DNS:shop.bank.com',
  'DNS:a b.bank.com',
  'DNS:a_b.bank.com',
  'DNS:shop.bank.com,IP:192.0.2.1,email:a@bank.com,URI:https://bank.com',
].map((names) => `subjectAltName=${names}`)

const EXTENSIONS = [
  ...['CA:FALSE', 'CA:TRUE', 'critical,CA:TRUE', 'CA:TRUE,pathlen:0', 'critical,CA:TRUE,pathlen:3'].map(
    (value) => `basicConstraints=${value}`,
  ),
  ...[
    'digitalSignature',
    'nonRepudiation',
    'keyEncipherment',
    'dataEncipherment',
    'keyAgreement',
    'keyCertSign',
    'cRLSign',
    'keyAgreement,encipherOnly',
    'keyAgreement,decipherOnly',
    'digitalSignature,keyEncipherment',
    'critical,digitalSignature',
    'keyCertSign,cRLSign',
  ].map((value) => `keyUsage=${value}`),
  ...[
    'serverAuth',
    'clientAuth',
    'serverAuth,clientAuth',
    'codeSigning',
    'codeSigning,clientAuth',
    'emailProtection',
    'timeStamping',
    'OCSPSigning',
    'anyExtendedKeyUsage',
    'ipsecIKE',
    '1.2.3.4.5',
    'critical,serverAuth',
    'msSmartcardLogin',
  ].map((value) => `extendedKeyUsage=${value}`),
  ...['status_request', '5', 'status_request_v2', 'status_request,status_request_v2', '99'].map(
    (value) => `tlsfeature=${value}`,
  ),
  'subjectKeyIdentifier=hash',
  'certificatePolicies=2.23.140.1.2.1',
  'certificatePolicies=2.23.140.1.2.1,1.3.6.1.4.1.99999.1',
  'nameConstraints=permitted;DNS:bank.com',
  'nsComment=made by hand',
  'nsCertType=server,sslCA',
  'crlDistributionPoints=URI:http://bank.com/crl',
  'authorityInfoAccess=OCSP;URI:http://bank.com/ocsp',
  'policyConstraints=requireExplicitPolicy:0',
  'inhibitAnyPolicy=2',
  'noCheck=ignored',
  '1.3.6.1.4.1.311.20.2=ASN1:BMPSTRING:WebServer',
  '1.2.3.4.5.6=ASN1:UTF8String:something',
  '1.2.3.4.5.7=critical,ASN1:UTF8String:something',
  '1.2.3.4.5.8=DER:0102030405',
]

const P256 = ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
const curve = (name: string): string[] => ['ec', '-pkeyopt', `ec_paramgen_curve:${name}`]

const KEYS: readonly Recipe[] = [
  ...['rsa:1024', 'rsa:2048', 'rsa:3072', 'rsa:4096'].map((key) => ({ name: key, key: [key] })),
  ...['prime256v1', 'secp384r1', 'secp521r1', 'secp256k1', 'brainpoolP256r1', 'secp224r1'].map((name) => ({
    name: name,
    key: curve(name),
  })),
  ...['ed25519', 'ed448'].map((key) => ({ name: key, key: [key] })),
  ...[
    '-md5',
    '-sha1',
    '-sha224',
    '-sha256',
    '-sha384',
    '-sha512',
    '-sha512-256',
    '-sha3-256',
    '-ripemd160',
  ].map((digest) => ({ name: `RSA ${digest}`, key: ['rsa:2048'], sign: [digest] })),
  ...['-sha1', '-sha224', '-sha384', '-sha512', '-sha3-256'].map((digest) => ({
    name: `P-256 ${digest}`,
    key: P256,
    sign: [digest],
  })),
  { name: 'RSA-PSS', key: ['rsa:2048'], sign: ['-sigopt', 'rsa_padding_mode:pss'] },
  {
    name: 'RSA-PSS, SHA-1',
    key: ['rsa:2048'],
    sign: ['-sha1', '-sigopt', 'rsa_padding_mode:pss'],
  },
  { name: 'the exponent 3', key: ['rsa:2048', '-pkeyopt', 'rsa_keygen_pubexp:3'] },
]

export const RECIPES: readonly Recipe[] = [
  ...SUBJECTS.map((subject) => ({ name: `subject ${subject.join(', ')}`, subject, extensions: [SAN] })),
  ...NAMES.map((names) => ({ name: names, extensions: [names] })),
  ...[2, 3, 5, 8, 10, 20, 40, 60, 61, 100, 150, 200].map((count) => ({
    name: `${count} names`,
    extensions: [hosts(count)],
  })),
  ...EXTENSIONS.map((extension) => ({ name: extension, extensions: [SAN, extension] })),
  {
    name: 'many extensions',
    extensions: [SAN, ...EXTENSIONS.filter((_, at) => [1, 16, 19, 30, 35, 36, 47].includes(at))],
  },
  { name: 'no names', extensions: [] },
  ...KEYS.map((recipe) => ({ extensions: [SAN], ...recipe })),
  { name: 'a challenge password', extensions: [SAN], attributes: ['challengePassword=pass1word'] },
  { name: 'an unstructured name', extensions: [SAN], attributes: ['unstructuredName=Jane'] },
]

export const DEFAULT_KEY = P256
