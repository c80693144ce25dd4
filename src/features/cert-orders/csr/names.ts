import { TEXT_LIMITS } from '@signalman/runtime'
import { counted } from '../../../domain/wording.ts'
import { type Element, looseText, objectId, stringOf, TAG } from './der.ts'

const GUID = '1.3.6.1.4.1.311.25.1'
const UPN = '1.3.6.1.4.1.311.20.2.3'

/**
 * Every subject alternative name of these lists, as `DNS shop.example.com` or `IP 192.0.2.1`, in the request's order. Throws
 * RangeError for what is not in the form that it must have. A request may hold thousands: each is read once.
 */
export const alternativeNames = (lists: readonly Element[]): string[] =>
  lists.flatMap((list) => list.parts().map((element) => elementName(element) ?? unreadable(element)))

/** A GeneralName by the tag of its kind (RFC 5280, 4.2.1.6); undefined for kinds that nobody writes as text. */
function elementName(element: Element): string | undefined {
  switch (element.tag) {
    case 0x81:
      return `e-mail ${looseText(element)}`
    case 0x82:
      return `DNS ${looseText(element)}`
    case 0x86:
      return `URL ${looseText(element)}`
    case 0x87:
      return `IP ${address(element.content)}`
    case 0x88:
      return `object id ${objectId(element, 0x88)}`
    case 0xa4:
      return directory(element)
    case 0xa0:
      return otherName(element)
    default:
      return undefined
  }
}

const KINDS: Readonly<Record<number, string>> = { 160: 'other-name', 163: 'X.400', 165: 'EDI' }
const LONGEST_BYTES = 48

/** As it is written in the request, so that nothing is hidden. */
function unreadable({ tag, content }: Element): string {
  const bytes = content.toString('hex', 0, LONGEST_BYTES)
  const more = content.length > LONGEST_BYTES ? `… (${content.length} bytes)` : ''
  return `${KINDS[tag] ?? `kind-${tag & 0x1f}`} ${bytes}${more}`
}

function address(content: Buffer): string {
  if (content.length === 4) return content.join('.')
  if (content.length === 16) return address6(content)
  return `${content.toString('hex')} (${counted(content.length, 'byte')}, no address)`
}

/** RFC 5952. */
function address6(content: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, index) => content.readUInt16BE(index * 2).toString(16))
  const text = groups.join(':')
  const runs = text.match(/(?<![0-9a-f])0(?::0)+(?![0-9a-f])/g) ?? []
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '')
  if (longest === '') return text
  const at = text.search(new RegExp(`(?<![0-9a-f])${longest}(?![0-9a-f])`))
  return `${text.slice(0, at).replace(/:$/, '')}::${text.slice(at + longest.length).replace(/^:/, '')}`
}

function directory(element: Element): string {
  const [name, ...more] = element.parts(0xa4)
  if (!name || more.length > 0) throw new RangeError('This is no directory name.')
  return `directory ${distinguishedName(name)}`
}

function otherName(element: Element): string | undefined {
  const [type, wrapped, ...more] = element.parts(0xa0)
  if (!type || !wrapped || more.length > 0) throw new RangeError('This is no name of another kind.')
  const id = objectId(type)
  const [value] = id === UPN || id === GUID ? wrapped.parts(0xa0) : []
  if (!value) {
    const [inner] = wrapped.tag === 0xa0 ? wrapped.parts(0xa0) : []
    const text = inner && stringOf(inner)
    return `other-name ${id} ${text ?? unreadable(wrapped).replace(/^\S+ /, '')}`
  }
  if (id === UPN) {
    const user = stringOf(value)
    return user === undefined ? undefined : `user ${user}`
  }
  const { content } = value
  return value.tag === TAG.octetString && content.length === 16 ? `GUID ${guid(content)}` : undefined
}

/** The first three groups are written from their last byte on (RFC 4122 as Windows stores it). */
function guid(content: Buffer): string {
  const reversed = (from: number, to: number) =>
    Buffer.from(content.subarray(from, to)).reverse().toString('hex')
  const rest = content.toString('hex', 8)
  return [reversed(0, 4), reversed(4, 6), reversed(6, 8), rest.slice(0, 4), rest.slice(4)].join('-')
}

/** RFC 4514, section 3, what else is common in requests, and what stands in those for extended validation (CA/Browser Forum, EV Guidelines, 9.2). */
const SHORT: Readonly<Record<string, string>> = {
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

/** `CN=shop.example.com, O=Example\, Inc.` in the name's own order; empty when it is. Throws RangeError when it is none. */
export const distinguishedName = (name: Element): string =>
  name
    .parts(TAG.sequence, TEXT_LIMITS.csrParts)
    .map((relative) => relative.parts(TAG.set).map(attribute).join('+'))
    .join(', ')

/** Every text in it, as it is written: `CN`, `shop.example.com`. */
export const textsIn = (name: Element): { label: string; text: string }[] =>
  name
    .parts()
    .flatMap((relative) => relative.parts(TAG.set))
    .map(partsOf)
    .flatMap(({ id, value }) => {
      const text = stringOf(value)
      return text === undefined ? [] : [{ label: SHORT[id] ?? id, text }]
    })

function partsOf(element: Element): { id: string; value: Element } {
  const [type, value, ...more] = element.parts()
  if (!type || !value || more.length > 0) throw new RangeError('This is no attribute of a name.')
  return { id: objectId(type), value }
}

function attribute(element: Element): string {
  const { id, value } = partsOf(element)
  const text = stringOf(value)
  return `${SHORT[id] ?? id}=${text === undefined ? `#${value.bytes.toString('hex')}` : escaped(text)}`
}

/** RFC 4514, section 2.4. */
const escaped = (text: string): string =>
  text
    .replace(/[,+"\\<>;]/g, '\\$&')
    .replace(/^[ #]| $/g, '\\$&')
    .replace(/[\0\t\n\r]/g, (found) => `\\${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
