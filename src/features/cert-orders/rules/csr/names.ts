import { TEXT_LIMITS } from '@signalman/runtime'
import { decodeUtf8OrLatin1, type Element, readObjectId, readString, TAG } from './der.ts'
import { describeValue } from './describe-extension.ts'
import { nameOid } from './oid-names.ts'

/** A subject alternative name. */
export interface RequestedName {
  /** `DNS`, `IP`, `email`, `URL`, or a rarer kind. */
  kind: string
  text: string
}

/** `DNS shop.example.com`. */
export const formatName = ({ kind, text }: RequestedName): string => `${kind} ${text}`

/** Every subject alternative name in these lists, in order. Throws RangeError for a malformed one. */
export const readAlternativeNames = (lists: readonly Element[]): RequestedName[] =>
  lists.flatMap((list) => list.children().map(parseGeneralName))

/** Parses a GeneralName by its tag (RFC 5280, 4.2.1.6). Shows kinds that no web server has as bytes, in full. */
function parseGeneralName(element: Element): RequestedName {
  switch (element.tag) {
    case 0x81:
      return { kind: 'email', text: decodeUtf8OrLatin1(element) }
    case 0x82:
      return { kind: 'DNS', text: decodeUtf8OrLatin1(element) }
    case 0x86:
      return { kind: 'URL', text: decodeUtf8OrLatin1(element) }
    case 0x87:
      return { kind: 'IP', text: formatIp(element.content) }
    default:
      return {
        kind: RARE_KINDS[element.tag] ?? `kind ${element.tag & 0x1f}`,
        text: describeRareName(element) ?? element.content.toString('hex'),
      }
  }
}

const OTHER_NAME = 160
const OBJECT_ID = 136
const DIRECTORY = 164
const RARE_KINDS: Readonly<Record<number, string>> = {
  [OTHER_NAME]: 'other name',
  [OBJECT_ID]: 'object id',
  163: 'X.400',
  [DIRECTORY]: 'directory',
  165: 'EDI',
}

/** `UPN ann@corp.example`, `CN=Ann, O=Example`. Undefined for what can't be read. */
function describeRareName(element: Element): string | undefined {
  try {
    if (element.tag === OBJECT_ID) return nameOid(readObjectId(element, OBJECT_ID))
    const [first, second, ...more] = element.children(element.tag)
    if (element.tag === DIRECTORY && first && !second) return formatDistinguishedName(first)
    if (element.tag !== OTHER_NAME || !first || !second || more.length > 0) return undefined
    return `${nameOid(readObjectId(first))} ${describeValue(second)}`
  } catch {
    return undefined
  }
}

function formatIp(content: Buffer): string {
  if (content.length === 4) return content.join('.')
  if (content.length === 16) return formatIpv6(content)
  return content.toString('hex')
}

/** RFC 5952, which is how addresses in a URL are written. */
function formatIpv6(content: Buffer): string {
  const groups = content.toString('hex').match(/.{4}/g) ?? []
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

/** Short names of attributes, from RFC 4514 (section 3), the EV Guidelines (9.2), and common tools. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  '0.9.2342.19200300.100.1.25': 'DC',
  '1.2.840.113549.1.9.1': 'E',
  '2.5.4.3': 'CN',
  '2.5.4.4': 'SN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'street',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.12': 'T',
  '2.5.4.15': 'businessCategory',
  '2.5.4.17': 'postalCode',
  '2.5.4.42': 'G',
  '2.5.4.43': 'I',
  '2.5.4.97': 'organizationIdentifier',
  '0.9.2342.19200300.100.1.1': 'UID',
  '1.3.6.1.4.1.311.60.2.1.1': 'jurisdictionL',
  '1.3.6.1.4.1.311.60.2.1.2': 'jurisdictionST',
  '1.3.6.1.4.1.311.60.2.1.3': 'jurisdictionC',
}

/** `CN=shop.example.com, O=Example\, Inc.` in encoded order; empty if the name has no attributes. Throws RangeError if malformed. */
export const formatDistinguishedName = (name: Element): string =>
  name
    .children(TAG.sequence, TEXT_LIMITS.csrParts)
    .map((component) => component.children(TAG.set).map(formatAttribute).join('+'))
    .join(', ')

/** An attribute of a subject. If its value isn't valid text, `text` is `#` followed by the bytes in hexadecimal. */
export interface SubjectPart {
  /** `CN`, or an object identifier. */
  label: string
  text: string
}

/** Every attribute of a name, in order. */
export const listSubjectParts = (name: Element): SubjectPart[] =>
  name
    .children(TAG.sequence, TEXT_LIMITS.csrParts)
    .flatMap((component) => component.children(TAG.set))
    .map(readNameAttribute)
    .map(({ id, value }) => ({
      label: SHORT_NAMES[id] ?? id,
      text: readString(value) ?? `#${value.bytes.toString('hex')}`,
    }))

function readNameAttribute(element: Element): { id: string; value: Element } {
  const [type, value, ...more] = element.children()
  if (!type || !value || more.length > 0) throw new RangeError('This isn’t a name attribute.')
  return { id: readObjectId(type), value }
}

function formatAttribute(element: Element): string {
  const { id, value } = readNameAttribute(element)
  const text = readString(value)
  return `${SHORT_NAMES[id] ?? nameOid(id)}=${text === undefined ? `#${value.bytes.toString('hex')}` : escapeText(text)}`
}

/** RFC 4514, section 2.4. */
const escapeText = (text: string): string =>
  text
    .replace(/[,+"\\<>;]/g, '\\$&')
    .replace(/^[ #]| $/g, '\\$&')
    .replace(/[\0\t\n\r]/g, (found) => `\\${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
