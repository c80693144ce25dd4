import { type Element, parseElements, readObjectId, readString, TAG } from './der.ts'
import { ALTERNATIVE_NAMES, type RequestedExtension } from './request.ts'

/** A requested extension, described for people. */
export interface DescribedExtension {
  oid: string
  /** A readable name, for well-known extensions. */
  name?: string
  /** The full value. */
  value: string
  isCritical?: true
  /** Why a reviewer should look at it; undefined for everyday extensions. */
  why?: string
}

/** `Key usage`, or `Name constraints (2.5.29.30)` for an uncommon extension. */
export function formatExtensionName({ oid, name }: Pick<DescribedExtension, 'oid' | 'name'>): string {
  if (name === undefined) return oid
  return oid in EXTENSION_READERS ? name : `${name} (${oid})`
}

/** Describes all requested extensions except the names. A malformed one is shown as raw bytes. */
export const describeExtensions = (extensions: readonly RequestedExtension[]): DescribedExtension[] =>
  extensions.filter(({ id }) => id !== ALTERNATIVE_NAMES).map(describeExtension)

function describeExtension({ id, isCritical, value }: RequestedExtension): DescribedExtension {
  const name = EXTENSION_NAMES[id]
  return {
    oid: id,
    ...(name && { name }),
    ...(isCritical && { isCritical }),
    ...describeValueOrBytes(id, value),
  }
}

function describeValueOrBytes(id: string, value: Buffer): ExtensionValue {
  const describeValue = EXTENSION_READERS[id]
  if (!describeValue) return { value: formatUncommonValue(value), why: 'few certificates have it' }
  try {
    const [element, ...more] = parseElements(value)
    if (!element || more.length > 0) throw new RangeError('Expected one value.')
    return describeValue(element)
  } catch {
    return {
      value: toHex(value),
      // A lenient parser may stop at the malformed part after it has read CA:TRUE.
      why:
        id === BASIC_CONSTRAINTS
          ? 'it’s malformed, and others may read it as a request for a certificate authority, which could sign any name'
          : 'it’s malformed',
    }
  }
}

const BASIC_CONSTRAINTS = '2.5.29.19'

const toHex = (value: Buffer): string => value.toString('hex') || '(empty)'

/** If the value is a single string, such as a comment or a template's name, the text and the bytes; otherwise only the bytes. */
function formatUncommonValue(value: Buffer): string {
  try {
    const [element, ...more] = parseElements(value)
    const text = element && more.length === 0 ? readString(element) : undefined
    return text === undefined ? toHex(value) : `“${text}” (${toHex(value)})`
  } catch {
    return toHex(value)
  }
}

/** An extension's value described for people, and why a reviewer should look at it, if there is a reason. */
interface ExtensionValue {
  value: string
  why?: string
}

/**
 * Parsers for the everyday extensions. Any other extension is flagged for review. Alternative names are parsed in names.ts. A
 * parser throws RangeError for a malformed value.
 */
const EXTENSION_READERS: Readonly<Record<string, (element: Element) => ExtensionValue>> = {
  [BASIC_CONSTRAINTS]: readBasicConstraints,
  '2.5.29.15': readKeyUsage,
  '2.5.29.37': readExtendedKeyUsage,
  '1.3.6.1.5.5.7.1.24': readTlsFeature,
  '2.5.29.14': (element) => ({ value: readContent(element, TAG.octetString).toString('hex') }),
}

/** Parses a nonnegative integer. Throws RangeError if it has more than six bytes. */
const parseNumber = (element: Element): number => {
  const content = readContent(element, TAG.integer)
  return content.readUIntBE(0, content.length)
}

function readContent(element: Element, tag: number): Buffer {
  if (element.tag !== tag) throw new RangeError('Unexpected element.')
  return element.content
}

/** An optional CA flag, then an optional path length (RFC 5280, 4.2.1.9). */
function readBasicConstraints(element: Element): ExtensionValue {
  const parts = element.children()
  const flag = parts[0]?.tag === TAG.boolean ? parts.shift() : undefined
  const depth = parts.shift()
  if (parts.length > 0 || (flag && flag.content.length !== 1)) throw new RangeError('Unexpected extra data.')
  const isAuthority = flag !== undefined && flag.content[0] !== 0
  const length = depth ? `, path length ${parseNumber(depth)}` : ''
  return {
    value: `CA:${isAuthority ? 'TRUE' : 'FALSE'}${length}`,
    ...((isAuthority || depth) && {
      why: isAuthority
        ? 'it asks for a certificate authority, which could sign any name'
        : 'only certificate authorities have a path length',
    }),
  }
}

function readKeyUsage(element: Element): ExtensionValue {
  const [unused = 0, ...bytes] = readContent(element, TAG.bitString)
  const bits = bytes.length * 8 - unused
  const isSet = (bit: number): boolean => ((bytes[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0
  const used = KEY_USAGES.filter((_, bit) => bit < bits && isSet(bit))
  const authorityUsages = used.filter((usage) => usage === 'keyCertSign' || usage === 'cRLSign')
  const unnamed = Array.from(
    { length: Math.max(0, bits - KEY_USAGES.length) },
    (_, at) => at + KEY_USAGES.length,
  )
    .filter(isSet)
    .map((bit) => `bit ${bit}`)
  const reasons = [
    authorityUsages.length > 0 && `${authorityUsages.join(' and ')} is only for certificate authorities`,
    unnamed.length > 0 && `${unnamed.slice(0, 5).join(', ')} has no meaning in a key usage`,
  ].filter((reason) => reason !== false)
  return {
    value: [...used, ...unnamed].join(', ') || '(none)',
    ...(reasons.length > 0 && { why: reasons.join('; ') }),
  }
}

function readExtendedKeyUsage(element: Element): ExtensionValue {
  const purposes = element.children().map((part) => {
    const id = readObjectId(part)
    return PURPOSE_NAMES[id] ?? id
  })
  const unusual = purposes.filter((purpose) => !USUAL_PURPOSES.has(purpose))
  return {
    value: purposes.join(', ') || '(none)',
    ...(unusual.length > 0 && {
      why: `purposes that web servers don’t need: ${unusual.slice(0, 5).join(', ')}`,
    }),
  }
}

const TLS_FEATURE_NAMES = new Map([
  [5, 'must-staple'],
  [17, 'must-staple, version 2'],
])

/** RFC 7633. Feature 5 is known as must-staple. */
function readTlsFeature(element: Element): ExtensionValue {
  const features = element.children().map(parseNumber)
  const names = features.map((feature) => TLS_FEATURE_NAMES.get(feature) ?? String(feature))
  return {
    value: names.join(', ') || '(none)',
    why:
      features.length === 1 && features[0] === 5
        ? 'with must-staple, browsers reject the server when it has no fresh OCSP response'
        : 'only must-staple is usual',
  }
}

const KEY_USAGES = [
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

/** Extended key usages (RFC 5280, 4.2.1.12, RFC 4945, and vendors' own). */
const PURPOSE_NAMES: Readonly<Record<string, string>> = {
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

/** The usual purposes of a web server's certificate. Any other is flagged for review. */
const USUAL_PURPOSES: ReadonlySet<string> = new Set(['serverAuth', 'clientAuth'])

/** Readable names of extensions (RFC 5280, RFC 7633, and vendors' tools). */
const EXTENSION_NAMES: Readonly<Record<string, string>> = {
  '2.5.29.14': 'Subject key identifier',
  '2.5.29.15': 'Key usage',
  '2.5.29.17': 'Alternative names',
  '2.5.29.18': 'Issuer alternative names',
  '2.5.29.19': 'Basic constraints',
  '2.5.29.30': 'Name constraints',
  '2.5.29.31': 'CRL distribution points',
  '2.5.29.32': 'Certificate policies',
  '2.5.29.33': 'Policy mappings',
  '2.5.29.35': 'Authority key identifier',
  '2.5.29.36': 'Policy constraints',
  '2.5.29.37': 'Extended key usage',
  '2.5.29.54': 'Inhibit any policy',
  '1.3.6.1.5.5.7.1.1': 'Authority information access',
  '1.3.6.1.5.5.7.1.3': 'Qualified certificate statements',
  '1.3.6.1.5.5.7.1.24': 'TLS feature',
  '1.3.6.1.5.5.7.48.1.5': 'OCSP no check',
  '1.3.6.1.4.1.11129.2.4.2': 'Certificate transparency timestamps',
  '1.3.6.1.4.1.11129.2.4.3': 'Certificate transparency poison',
  '1.3.6.1.4.1.311.20.2': 'Microsoft template name',
  '1.3.6.1.4.1.311.21.7': 'Microsoft template',
  '1.3.6.1.4.1.311.21.10': 'Microsoft application policies',
  '1.3.6.1.4.1.311.25.2': 'Microsoft account identifier',
  '1.2.840.113549.1.9.15': 'S/MIME capabilities',
  '2.16.840.1.113730.1.1': 'Netscape certificate type',
  '2.16.840.1.113730.1.13': 'Netscape comment',
}
