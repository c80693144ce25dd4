import { type Element, parseOnlyElement, readObjectId, readString, TAG, tryToRead } from './der.ts'
import { nameOid } from './oid-names.ts'
import { ALTERNATIVE_NAMES, type RequestedExtension } from './request.ts'

/** A requested extension, described for people. */
export interface DescribedExtension extends ExtensionValue {
  oid: string
  isCritical?: true
}

interface ExtensionValue {
  /** The full value. */
  value: string
  /** Why a reviewer should look at it, if there is a reason. */
  why?: string
}

/** Describes all requested extensions except the names. A malformed one is shown as raw bytes. */
export const describeExtensions = (extensions: readonly RequestedExtension[]): DescribedExtension[] =>
  extensions
    .filter(({ id }) => id !== ALTERNATIVE_NAMES)
    .map(({ id, isCritical, value }) => ({
      oid: id,
      ...(isCritical && { isCritical }),
      ...(tryToRead(() => (READERS[id] ?? readRare)(parseOnlyElement(value))) ?? {
        value: value.toString('hex') || '(empty)',
        why: id === BASIC_CONSTRAINTS ? MALFORMED_CONSTRAINTS : 'it’s malformed',
      }),
    }))

const BASIC_CONSTRAINTS = '2.5.29.19'
// A lenient parser may stop at the malformed part after it has read CA:TRUE.
const MALFORMED_CONSTRAINTS =
  'it’s malformed, and others may read it as a request for a certificate authority, which could sign any name'

/** The everyday extensions: a reader that throws RangeError for a malformed value. Any other extension is flagged for review. */
const READERS: Readonly<Record<string, (element: Element) => ExtensionValue>> = {
  [BASIC_CONSTRAINTS]: readBasicConstraints,
  '2.5.29.14': (element) => ({ value: readContent(element, TAG.octetString).toString('hex') }),
  '2.5.29.15': readKeyUsage,
  '2.5.29.37': readExtendedKeyUsage,
  '1.2.840.113549.1.9.15': readCapabilities,
}

function readRare(element: Element): ExtensionValue {
  const value = describeValue(element)
  return { value, why: `few certificates have it, and an authority may read names in it: ${value}` }
}

/**
 * Any value in words, such as the ones that Windows adds: `1, WEB-1, CORP\ann`. What isn't text, a number, or an object identifier is
 * shown as its bytes in hexadecimal after a `#`. Throws RangeError if it's malformed.
 */
export function describeValue(element: Element): string {
  const { tag, content } = element
  if (tag === TAG.objectId) return nameOid(readObjectId(element))
  if (tag === TAG.integer && content.length <= 6 && (content[0] ?? 0) < 0x80)
    return String(content.readUIntBE(0, content.length))
  if (tag === TAG.boolean && content.length === 1) return content[0] === 0 ? 'FALSE' : 'TRUE'
  if (isConstructed(tag)) return element.children(tag).map(describeValue).join(', ') || '(empty)'
  const isText = isUntyped(tag) && IS_PRINTABLE.test(element.latin1)
  return (isText ? element.latin1 : readString(element)) ?? element.hexadecimal
}

const isConstructed = (tag: number): boolean => (tag & 0x20) !== 0
/** Its type depends on where it stands, such as that of a URL in an extension. */
const isUntyped = (tag: number): boolean => (tag & 0xc0) === 0x80 || tag === TAG.octetString
const IS_PRINTABLE = /^[\x20-\x7e]+$/

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
  if (depth) readContent(depth, TAG.integer)
  const length = depth ? `, path length ${describeValue(depth)}` : ''
  if (flag && flag.content[0] !== 0)
    return {
      value: `CA:TRUE${length}`,
      why: 'it asks for a certificate authority, which could sign any name',
    }
  return {
    value: `CA:FALSE${length}`,
    ...(depth && { why: 'only certificate authorities have a path length' }),
  }
}

function readKeyUsage(element: Element): ExtensionValue {
  const [unused = 0, ...bytes] = readContent(element, TAG.bitString)
  const bits = bytes.length * 8 - unused
  if (bits > KEY_USAGES.length) throw new RangeError('Unknown key usages.')
  const isSet = (bit: number): boolean => ((bytes[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0
  const used = KEY_USAGES.filter((_, bit) => bit < bits && isSet(bit))
  const unusual = used.filter((usage) => !USUAL_USAGES.includes(usage))
  const value = used.join(', ') || '(none)'
  return unusual.length > 0 || used.length === 0
    ? { value, why: `usages that web servers don’t need: ${unusual.join(', ') || value}` }
    : { value }
}

function readExtendedKeyUsage(element: Element): ExtensionValue {
  const purposes = element.children().map((part) => nameOid(readObjectId(part)))
  const unusual = purposes.filter((purpose) => !USUAL_PURPOSES.includes(purpose))
  const value = purposes.join(', ') || '(none)'
  if (unusual.length > 0)
    return { value, why: `purposes that web servers don’t need: ${unusual.slice(0, 5).join(', ')}` }
  return purposes.includes('serverAuth') ? { value } : { value, why: `web servers need serverAuth: ${value}` }
}

/** The algorithms for email that Windows adds to the requests of its web server, some with the length of a key (RFC 8551, 2.5.2). */
function readCapabilities(element: Element): ExtensionValue {
  const algorithms = element.children(TAG.sequence).map((capability) => {
    const [id, size, ...more] = capability.children(TAG.sequence)
    if (!id || more.length > 0 || (size && size.tag !== TAG.integer))
      throw new RangeError('Not a capability.')
    return [nameOid(readObjectId(id)), size && `${describeValue(size)} bits`].filter(Boolean).join(', ')
  })
  return { value: algorithms.join('; ') || '(none)' }
}

const USUAL_PURPOSES: readonly string[] = ['serverAuth', 'clientAuth']
const USUAL_USAGES: readonly string[] = [
  ...['digitalSignature', 'nonRepudiation', 'keyEncipherment', 'dataEncipherment', 'keyAgreement'],
]

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
