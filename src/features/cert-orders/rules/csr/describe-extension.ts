import { type Element, parseElements, readObjectId, readString, TAG } from './der.ts'
import { nameOid } from './oid-names.ts'
import { ALTERNATIVE_NAMES, type RequestedExtension } from './request.ts'

/** A requested extension, described for people. */
export interface DescribedExtension {
  oid: string
  /** The full value. */
  value: string
  isCritical?: true
}

/** `why`: why a reviewer should look at it; undefined for everyday extensions. */
export type ReviewedExtension = DescribedExtension & { why?: string }

/** Describes all requested extensions except the names. A malformed one is shown as raw bytes. */
export const describeExtensions = (extensions: readonly RequestedExtension[]): ReviewedExtension[] =>
  extensions.filter(({ id }) => id !== ALTERNATIVE_NAMES).map(describeExtension)

const describeExtension = ({ id, isCritical, value }: RequestedExtension): ReviewedExtension => ({
  oid: id,
  ...(isCritical && { isCritical }),
  ...describeValueOrBytes(id, EVERYDAY[id] ?? describeRare, value),
})

const describeRare = (element: Element): ExtensionValue => ({
  value: describeValue(element),
  why: 'few certificates have it',
})

/**
 * Any value in words, such as the ones that Windows adds: `1, WEB-1, CORP\ann`. What isn't text, a number, or an object identifier is
 * shown as its bytes in hexadecimal after a `#`. Throws RangeError if it's malformed.
 */
export function describeValue(element: Element): string {
  const { tag, content } = element
  if (tag === TAG.objectId) return nameOid(readObjectId(element))
  if (tag === TAG.integer && content.length <= 6 && (content[0] ?? 0) < 0x80)
    return String(parseNumber(element))
  if (tag === TAG.boolean && content.length === 1) return content[0] === 0 ? 'FALSE' : 'TRUE'
  if (isConstructed(tag)) return element.children(tag).map(describeValue).join(', ') || '(empty)'
  const isText = isUntyped(tag) && IS_PRINTABLE.test(element.latin1)
  return (isText ? element.latin1 : readString(element)) ?? `#${element.bytes.toString('hex')}`
}

const isConstructed = (tag: number): boolean => (tag & 0x20) !== 0
/** Its type depends on where it stands, such as that of a URL in an extension. */
const isUntyped = (tag: number): boolean => (tag & 0xc0) === 0x80 || tag === TAG.octetString
const IS_PRINTABLE = /^[\x20-\x7e]+$/

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
 * The everyday extensions: a parser that throws RangeError for a malformed value. Any other extension is flagged for review.
 * Alternative names are parsed in names.ts.
 */
const EVERYDAY: Readonly<Record<string, (element: Element) => ExtensionValue>> = {
  [BASIC_CONSTRAINTS]: readBasicConstraints,
  '2.5.29.14': (element) => ({ value: readContent(element, TAG.octetString).toString('hex') }),
  '2.5.29.15': readKeyUsage,
  '2.5.29.37': readExtendedKeyUsage,
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
  if (bits > KEY_USAGES.length) throw new RangeError('Unknown key usages.')
  const isSet = (bit: number): boolean => ((bytes[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0
  const used = KEY_USAGES.filter((_, bit) => bit < bits && isSet(bit))
  const authorityUsages = used.filter((usage) => usage === 'keyCertSign' || usage === 'cRLSign')
  return {
    value: used.join(', ') || '(none)',
    ...(authorityUsages.length > 0 && {
      why: `${authorityUsages.join(' and ')} is only for certificate authorities`,
    }),
  }
}

function readExtendedKeyUsage(element: Element): ExtensionValue {
  const ids = element.children().map((part) => readObjectId(part))
  const unusual = ids.filter((id) => !USUAL_PURPOSES.has(id))
  return {
    value: ids.map(nameOid).join(', ') || '(none)',
    ...(unusual.length > 0 && {
      why: `purposes that web servers don’t need: ${unusual.slice(0, 5).map(nameOid).join(', ')}`,
    }),
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

/** serverAuth and clientAuth. Any other purpose is flagged for review. */
const USUAL_PURPOSES: ReadonlySet<string> = new Set(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])
