import { type Element, elementsIn, objectId, TAG } from './der.ts'
import { distinguishedName } from './distinguished-name.ts'
import type { Attribute } from './request.ts'
import { looseText, stringOf } from './strings.ts'

/** Where a request asks for extensions: PKCS #9, and the form of older Windows tools. */
const EXTENSION_REQUESTS = ['1.2.840.113549.1.9.14', '1.3.6.1.4.1.311.2.1.14']
const ALTERNATIVE_NAMES = '2.5.29.17'
const GUID = '1.3.6.1.4.1.311.25.1'
const UPN = '1.3.6.1.4.1.311.20.2.3'

export interface AlternativeNames {
  /** `DNS shop.example.com`, `IP 192.0.2.1`, in the request's order. */
  names: string[]
  /** How many more there are of kinds that cannot be shown. */
  hidden: number
}

const extensionRequests = (attributes: readonly Attribute[]): Attribute[] =>
  attributes.filter(({ type }) => EXTENSION_REQUESTS.includes(type))

/** True when an attribute could hide names: one with several values, of which a reader may look at another than ours. */
export const hidesNames = (attributes: readonly Attribute[]): boolean =>
  extensionRequests(attributes).some(({ values }) => values.length !== 1)

/**
 * Every subject alternative name that the request asks for, wherever in it: a service might read any of them. Throws
 * RangeError for what is not in the form that it must have. A request may hold thousands: each is read once.
 */
export function alternativeNames(attributes: readonly Attribute[]): AlternativeNames {
  const names: string[] = []
  let hidden = 0
  for (const extension of extensionsOf(attributes)) {
    if (extension.id !== ALTERNATIVE_NAMES) continue
    const [list, ...more] = elementsIn(extension.value)
    if (!list || more.length > 0) throw new RangeError('These are no alternative names.')
    for (const element of list.parts()) {
      const name = nameOf(element)
      if (name === undefined) hidden += 1
      else names.push(name)
    }
  }
  return { names, hidden }
}

function extensionsOf(attributes: readonly Attribute[]): { id: string; value: Buffer }[] {
  return extensionRequests(attributes)
    .flatMap(({ values }) => values.flatMap((value) => value.parts()))
    .map((extension) => {
      const [id, ...rest] = extension.parts()
      const value = rest.at(-1)
      const isWhole = rest.length === 1 || (rest.length === 2 && rest[0]?.tag === TAG.boolean)
      if (!id || !isWhole || value?.tag !== TAG.octetString) throw new RangeError('This is no extension.')
      return { id: objectId(id), value: value.content }
    })
}

/** A GeneralName by the tag of its kind (RFC 5280, 4.2.1.6); undefined for kinds that nobody could read. */
function nameOf(element: Element): string | undefined {
  switch (element.tag) {
    case 0x81:
      return `e-mail ${plainText(element)}`
    case 0x82:
      return `DNS ${plainText(element)}`
    case 0x86:
      return `URL ${plainText(element)}`
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

/** Where one reader stops at a NUL, another goes on: such a name is two, and is refused. */
function plainText(element: Element): string {
  const text = looseText(element)
  if (text.includes('\0')) throw new RangeError('No name has a NUL in it.')
  return text
}

function address(content: Buffer): string {
  if (content.length === 4) return content.join('.')
  if (content.length === 16) return address6(content)
  return `${content.toString('hex')} (${content.length} bytes, which are no address)`
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
  if (!value) return undefined
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
