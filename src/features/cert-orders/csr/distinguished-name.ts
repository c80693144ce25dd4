import { type Element, objectId, TAG } from './der.ts'
import { stringOf } from './strings.ts'

/** RFC 4514, section 3, and what else is common in requests. */
const SHORT: Readonly<Record<string, string>> = {
  '0.9.2342.19200300.100.1.25': 'DC',
  '1.2.840.113549.1.9.1': 'E',
  '2.5.4.3': 'CN',
  '2.5.4.4': 'SN',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.12': 'T',
  '2.5.4.42': 'G',
  '2.5.4.43': 'I',
}

/** `CN=shop.example.com, O=Example\, Inc.` in the name's own order; empty when it is. Throws RangeError when it is none. */
export const distinguishedName = (name: Element): string =>
  name
    .parts()
    .map((relative) => relative.parts(TAG.set).map(attribute).join('+'))
    .join(', ')

/** Every common name in it that is text, as it is written. */
export const commonNames = (name: Element): string[] =>
  name
    .parts()
    .flatMap((relative) => relative.parts(TAG.set))
    .map(partsOf)
    .flatMap(({ id, value }) => (id === COMMON_NAME ? [stringOf(value)] : []))
    .filter((text) => text !== undefined)

const COMMON_NAME = '2.5.4.3'

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
