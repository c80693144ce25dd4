import { TEXT_LIMITS } from '@signalman/runtime'
import { type Element, objectId, TAG } from './der.ts'
import { stringOf } from './strings.ts'

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
