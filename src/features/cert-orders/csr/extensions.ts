import { type Element, elementsIn, objectId, TAG } from './der.ts'
import type { Attribute } from './request.ts'

/** Where a request asks for extensions: PKCS #9, and the form of older Windows tools. */
export const EXTENSION_REQUESTS = ['1.2.840.113549.1.9.14', '1.3.6.1.4.1.311.2.1.14']

export const ALTERNATIVE_NAMES = '2.5.29.17'

/** One extension that the request asks for, its value still as it was written. */
export interface RequestedExtension {
  readonly id: string
  readonly isCritical: boolean
  readonly value: Buffer
}

export const extensionRequests = (attributes: readonly Attribute[]): Attribute[] =>
  attributes.filter(({ type }) => EXTENSION_REQUESTS.includes(type))

/** True when an attribute has several values, of which a reader may look at another than ours. */
export const hasSeveralValues = (attributes: readonly Attribute[]): boolean =>
  extensionRequests(attributes).some(({ values }) => values.length > 1)

/** Every extension that the request asks for, wherever in it: a service might read any of them. Throws RangeError. */
export function requestedExtensions(attributes: readonly Attribute[]): RequestedExtension[] {
  return extensionRequests(attributes)
    .flatMap(({ values }) => values.flatMap((value) => value.parts()))
    .map((extension) => {
      const [id, ...rest] = extension.parts()
      const value = rest.at(-1)
      const isWhole = rest.length === 1 || (rest.length === 2 && rest[0]?.tag === TAG.boolean)
      if (!id || !isWhole || value?.tag !== TAG.octetString) throw new RangeError('This is no extension.')
      const isCritical = rest.length === 2 && rest[0]?.content[0] !== 0
      return { id: objectId(id), isCritical, value: value.content }
    })
}

/** The alternative names of the request, each list as it was written. */
export function alternativeLists(extensions: readonly RequestedExtension[]): Element[] {
  return extensions
    .filter(({ id }) => id === ALTERNATIVE_NAMES)
    .map(({ value }) => {
      const [list, ...more] = elementsIn(value)
      if (!list || more.length > 0) throw new RangeError('These are no alternative names.')
      return list
    })
}
