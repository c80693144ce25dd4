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
}

/** `why`: why a reviewer should look at it; undefined for everyday extensions. */
export type ReviewedExtension = DescribedExtension & { why?: string }

/** Describes all requested extensions except the names. A malformed one is shown as raw bytes. */
export const describeExtensions = (extensions: readonly RequestedExtension[]): ReviewedExtension[] =>
  extensions.filter(({ id }) => id !== ALTERNATIVE_NAMES).map(describeExtension)

function describeExtension({ id, isCritical, value }: RequestedExtension): ReviewedExtension {
  const everyday = EVERYDAY[id]
  return {
    oid: id,
    ...(everyday && { name: everyday.name }),
    ...(isCritical && { isCritical }),
    ...(everyday
      ? describeValueOrBytes(id, everyday.read, value)
      : { value: readTexts(value) ?? toHex(value), why: 'few certificates have it' }),
  }
}

function readTexts(value: Buffer): string | undefined {
  try {
    const [element, ...more] = parseElements(value)
    return element && more.length === 0 ? describeTexts(element) : undefined
  } catch {
    return undefined
  }
}

/**
 * A value that consists of texts, numbers, and object identifiers, such as the ones that Windows adds: `1, WEB-1, CORP\ann`. Bits
 * among them are in hexadecimal. Undefined for anything else. Throws RangeError if it's malformed.
 */
export function describeTexts(element: Element): string | undefined {
  if (element.tag === TAG.integer && element.content.length <= 6 && (element.content[0] ?? 0) < 0x80)
    return String(parseNumber(element))
  if (element.tag === TAG.objectId) return readObjectId(element)
  if (element.tag !== TAG.sequence) return readString(element)
  const texts = element
    .children()
    .map((part) => describeTexts(part) ?? (part.tag === TAG.bitString ? toHex(part.content) : undefined))
  return texts.length > 0 && texts.every((text) => text !== undefined) ? texts.join(', ') : undefined
}

function describeValueOrBytes(
  id: string,
  read: (element: Element) => ExtensionValue,
  value: Buffer,
): ExtensionValue {
  try {
    const [element, ...more] = parseElements(value)
    if (!element || more.length > 0) throw new RangeError('Expected one value.')
    return read(element)
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

/** An extension's value described for people, and why a reviewer should look at it, if there is a reason. */
interface ExtensionValue {
  value: string
  why?: string
}

/**
 * The everyday extensions: a readable name, and a parser that throws RangeError for a malformed value. Any other extension is flagged
 * for review, with its value as bytes. Alternative names are parsed in names.ts.
 */
const EVERYDAY: Readonly<Record<string, { name: string; read: (element: Element) => ExtensionValue }>> = {
  [BASIC_CONSTRAINTS]: { name: 'Basic constraints', read: readBasicConstraints },
  '2.5.29.14': {
    name: 'Subject key identifier',
    read: (element) => ({ value: readContent(element, TAG.octetString).toString('hex') }),
  },
  '2.5.29.15': { name: 'Key usage', read: readKeyUsage },
  '2.5.29.37': { name: 'Extended key usage', read: readExtendedKeyUsage },
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
  const ids = element.children().map((part) => readObjectId(part))
  const unusual = ids.filter((id) => !USUAL_PURPOSES.has(id))
  return {
    value: ids.map(namePurpose).join(', ') || '(none)',
    ...(unusual.length > 0 && {
      why: `purposes that web servers don’t need: ${unusual.slice(0, 5).map(namePurpose).join(', ')}`,
    }),
  }
}

const namePurpose = (id: string): string => USUAL_PURPOSES.get(id) ?? OTHER_PURPOSES.get(id) ?? id

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

/** The purposes of a web server's certificate. Any other is flagged for review. */
const USUAL_PURPOSES = new Map([
  ['1.3.6.1.5.5.7.3.1', 'serverAuth'],
  ['1.3.6.1.5.5.7.3.2', 'clientAuth'],
])

/** Purposes with a name that reviewers know. */
const OTHER_PURPOSES = new Map([
  ['1.3.6.1.5.5.7.3.3', 'codeSigning'],
  ['1.3.6.1.5.5.7.3.4', 'emailProtection'],
  ['1.3.6.1.5.5.7.3.8', 'timeStamping'],
  ['1.3.6.1.5.5.7.3.9', 'OCSPSigning'],
  ['1.3.6.1.5.5.7.3.36', 'documentSigning'],
  ['1.3.6.1.5.2.3.5', 'kerberosKDC'],
  ['1.3.6.1.4.1.311.10.3.3', 'serverGatedCrypto'],
  ['2.16.840.1.113730.4.1', 'netscapeServerGatedCrypto'],
  ['1.3.6.1.4.1.311.10.3.4', 'encryptedFileSystem'],
  ['1.3.6.1.4.1.311.10.3.12', 'microsoftDocumentSigning'],
  ['1.3.6.1.4.1.311.20.2.2', 'smartcardLogon'],
  ['1.3.6.1.4.1.311.54.1.2', 'remoteDesktop'],
  ['2.5.29.37.0', 'anyExtendedKeyUsage'],
])
