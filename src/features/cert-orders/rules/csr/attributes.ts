import { tryToRead } from './der.ts'
import { describeValue } from './describe-extension.ts'
import { nameOid } from './oid-names.ts'
import type { Attribute } from './request.ts'

/** An attribute of a request, other than those that request extensions. */
export interface DescribedAttribute {
  oid: string
  /** Each value in full. */
  values: readonly string[]
}

/** PKCS #9 (RFC 2985, 5.4.1). */
const CHALLENGE_PASSWORD = '1.2.840.113549.1.9.7'

export const describeAttributes = (attributes: readonly Attribute[]): DescribedAttribute[] =>
  attributes.map(({ type, values }) => ({
    oid: type,
    values:
      type === CHALLENGE_PASSWORD
        ? ['a password (hidden)']
        : values.map((value) => tryToRead(() => describeValue(value)) ?? value.hexadecimal),
  }))

/** What Windows adds to every request, in the form that it has there: its version, which program on which machine made the request, and where the key is. */
const USUAL: Readonly<Record<string, RegExp>> = {
  '1.3.6.1.4.1.311.13.2.3': /^\d+(?:\.\d+){1,3}$/,
  '1.3.6.1.4.1.311.21.20': /^\d+(?:, [^,]*){3}$/,
  '1.3.6.1.4.1.311.13.2.2': /^\d+, [^,]*, #[\da-f]+$/,
}

const isUsual = ({ oid, values: [value = '', ...more] }: DescribedAttribute): boolean =>
  more.length === 0 && USUAL[oid]?.test(value) === true

/** The attributes in which an authority may read something, such as a name. */
export const findUnusualAttributes = (attributes: readonly DescribedAttribute[]): DescribedAttribute[] =>
  attributes.filter((attribute) => !isUsual(attribute))

export const warnOfAttribute = ({ oid, values }: DescribedAttribute): string =>
  oid === CHALLENGE_PASSWORD
    ? 'It has a challenge password, which is sent to the service. Leave it out unless the service asked for one.'
    : `It has an attribute that few requests have, and an authority may read names in it. ${nameOid(oid)}: ${values.join('; ') || '(empty)'}`
