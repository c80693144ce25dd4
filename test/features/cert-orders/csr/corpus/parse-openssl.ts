import { SocketAddress } from 'node:net'
import { nameOid } from '../../../../../src/features/cert-orders/rules/csr/oid-names.ts'

/** A requested extension as openssl prints it, converted to this app's format. */
export interface OpensslExtension {
  name: string
  isCritical: boolean
  /** Undefined for extensions that this app shows as bytes. */
  value: string | undefined
}

/** The output of `openssl req -text` for a request, converted to this app's format. */
export interface OpensslRequest {
  subject: string
  key: string
  signature: string
  names: string[]
  extensions: OpensslExtension[]
}

const findLine = (text: string, start: string): string =>
  text
    .split('\n')
    .find((line) => line.trim().startsWith(start))
    ?.trim()
    .slice(start.length)
    .trim() ?? ''

export function parseOpensslText(text: string): OpensslRequest {
  const extensions = parseExtensions(text)
  const lists = extensions.filter(({ name }) => name === 'X509v3 Subject Alternative Name')
  return {
    subject: convertSubject(findLine(text, 'Subject:')),
    key: convertKey(text),
    signature: SIGNATURES[findLine(text, 'Signature Algorithm:')] ?? '',
    names: lists.flatMap(({ lines }) => convertNames(lines.join(', '))),
    extensions: extensions.filter((extension) => !lists.includes(extension)).map(convertExtension),
  }
}

/** Adds spaces after commas, and renames the attributes that openssl names differently. */
const convertSubject = (line: string): string =>
  line
    .replace(/(?<!\\),(?=\S)/g, ', ')
    .replace(/emailAddress=/g, 'E=')
    .replace(/title=/g, 'T=')
    .replace(/GN=/g, 'G=')
    .replace(/initials=/g, 'I=')

function convertKey(text: string): string {
  const bits = /\((\d+) bit\)/.exec(text)?.[1] ?? ''
  const curve = /NIST CURVE: (\S+)/.exec(text)?.[1] ?? /ASN1 OID: (\S+)/.exec(text)?.[1]
  if (curve) return `EC ${curve}`
  return /Algorithm: rsa/.test(text) ? `RSA ${bits} bits` : findLine(text, 'Public Key Algorithm:')
}

const SIGNATURES: Readonly<Record<string, string>> = {
  sha256WithRSAEncryption: 'RSA with SHA-256',
  sha384WithRSAEncryption: 'RSA with SHA-384',
  sha512WithRSAEncryption: 'RSA with SHA-512',
  'ecdsa-with-SHA256': 'ECDSA with SHA-256',
  'ecdsa-with-SHA384': 'ECDSA with SHA-384',
  'ecdsa-with-SHA512': 'ECDSA with SHA-512',
}

const KINDS: Readonly<Record<string, string>> = {
  DNS: 'DNS',
  email: 'email',
  URI: 'URL',
  'Registered ID': 'object id',
  DirName: 'directory',
}

function convertNames(list: string): string[] {
  const parts = list.split(
    /, (?=(?:DNS|IP Address|email|URI|Registered ID|DirName|othername|X400Name|EdiPartyName):)/,
  )
  return parts.filter(Boolean).map((part) => {
    const [, kind = '', value = ''] = /^([^:]+):(.*)$/s.exec(part) ?? []
    if (kind === 'IP Address') return `IP ${convertAddress(value)}`
    return `${KINDS[kind] ?? kind} ${value}`
  })
}

/** Shortens IPv6 addresses, because openssl prints all eight groups and this app doesn't. */
const convertAddress = (value: string): string =>
  value.includes(':') && /^[\dA-F:]+$/.test(value)
    ? new SocketAddress({ address: value, family: 'ipv6' }).address
    : value

/** A requested extension exactly as openssl prints it. */
interface PrintedExtension {
  name: string
  isCritical: boolean
  lines: string[]
}

const EXTENSIONS_HEADING = 'Requested Extensions:'

function parseExtensions(text: string): PrintedExtension[] {
  const found: PrintedExtension[] = []
  let indent: number | undefined
  for (const line of text.split('\n')) {
    const depth = line.search(/\S/)
    if (line.trim() === EXTENSIONS_HEADING) indent = depth
    else if (indent === undefined || line.trim() === '') continue
    else if (depth <= indent) indent = undefined
    else if (depth === indent + 4) {
      const [, name = '', critical] = /^(.*?): ?(critical)?\s*$/.exec(line.trim()) ?? []
      found.push({ name, isCritical: critical !== undefined, lines: [] })
    } else found.at(-1)?.lines.push(line.trim())
  }
  return found
}

const NAMES: Readonly<Record<string, string>> = {
  'X509v3 Basic Constraints': 'Basic constraints',
  'X509v3 Key Usage': 'Key usage',
  'X509v3 Extended Key Usage': 'Extended key usage',
  'X509v3 Subject Key Identifier': 'Subject key identifier',
  'X509v3 Certificate Policies': '2.5.29.32',
  'X509v3 Name Constraints': '2.5.29.30',
  'X509v3 CRL Distribution Points': '2.5.29.31',
  'X509v3 Policy Constraints': '2.5.29.36',
  'X509v3 Inhibit Any Policy': '2.5.29.54',
  'Authority Information Access': '1.3.6.1.5.5.7.1.1',
  'TLS Feature': 'TLS feature',
  'OCSP No Check': '1.3.6.1.5.5.7.48.1.5',
  'Netscape Comment': '2.16.840.1.113730.1.13',
  'Netscape Cert Type': '2.16.840.1.113730.1.1',
}

const ITEM_NAMES: Readonly<Record<string, string>> = {
  'Digital Signature': 'digitalSignature',
  'Non Repudiation': 'nonRepudiation',
  'Key Encipherment': 'keyEncipherment',
  'Data Encipherment': 'dataEncipherment',
  'Key Agreement': 'keyAgreement',
  'Certificate Sign': 'keyCertSign',
  'CRL Sign': 'cRLSign',
  'Encipher Only': 'encipherOnly',
  'Decipher Only': 'decipherOnly',
  'TLS Web Server Authentication': 'serverAuth',
  'TLS Web Client Authentication': 'clientAuth',
  'Code Signing': 'codeSigning',
  'Email Protection': 'emailProtection',
  'Time Stamping': 'timeStamping',
  'OCSP Signing': 'OCSPSigning',
  'Any Extended Key Usage': 'anyExtendedKeyUsage',
  'ipsec Internet Key Exchange': '1.3.6.1.5.5.7.3.17',
  'Microsoft Smartcard Login': 'smartcardLogon',
}

const VALUES: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  'X509v3 Basic Constraints': ([line = '']) => line.replace('pathlen:', 'path length '),
  'X509v3 Key Usage': convertList,
  'X509v3 Extended Key Usage': convertList,
  'X509v3 Subject Key Identifier': ([line = '']) => line.replaceAll(':', '').toLowerCase(),
}

function convertList([line = '']: readonly string[]): string {
  return line
    .split(', ')
    .map((word) => nameOid(ITEM_NAMES[word] ?? word))
    .join(', ')
}

const convertExtension = ({ name, isCritical, lines }: PrintedExtension): OpensslExtension => ({
  name: nameOid(NAMES[name] ?? name),
  isCritical,
  value: VALUES[name]?.(lines),
})
