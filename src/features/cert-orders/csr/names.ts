import type { Extension, Pkcs10CertificateRequest } from '@peculiar/x509'
import { elementsIn } from './der.ts'
import { x509 } from './x509.ts'

/** Where a request asks for extensions: PKCS #9, and the form of older Windows tools. */
const EXTENSION_REQUESTS = ['1.2.840.113549.1.9.14', '1.3.6.1.4.1.311.2.1.14']
const ALTERNATIVE_NAMES = '2.5.29.17'

const KINDS: Readonly<Record<string, string>> = {
  dns: 'DNS',
  ip: 'IP',
  email: 'e-mail',
  url: 'URL',
  dn: 'directory',
  id: 'object id',
  guid: 'GUID',
  upn: 'user',
}

export interface AlternativeNames {
  /** `DNS shop.example.com`, `IP 192.0.2.1`, in the request's order. */
  names: string[]
  /** How many more there are of kinds that cannot be shown. */
  hidden: number
}

/** True when an attribute could hide names: one with several values, of which a reader may look at another than ours. */
export const hidesNames = (request: Pkcs10CertificateRequest): boolean =>
  EXTENSION_REQUESTS.flatMap((type) => request.getAttributes(type)).some(({ values }) => values.length !== 1)

/** Every subject alternative name that the request asks for, wherever in it: a service might read any of them. */
export function alternativeNames(request: Pkcs10CertificateRequest): AlternativeNames {
  const found = extensionsOf(request).filter(({ type }) => type === ALTERNATIVE_NAMES)
  const { SubjectAlternativeNameExtension } = x509()
  const names: string[] = []
  let all = 0
  for (const extension of found) {
    const { names: read } = new SubjectAlternativeNameExtension(extension.rawData)
    names.push(...read.items.map(({ type, value }) => `${KINDS[type] ?? type} ${value}`))
    const [list] = elementsIn(Buffer.from(extension.value))
    all += list ? elementsIn(list.content).length : 0
  }
  return { names, hidden: all - names.length }
}

function extensionsOf(request: Pkcs10CertificateRequest): Extension[] {
  const { ExtensionsAttribute } = x509()
  return EXTENSION_REQUESTS.flatMap((type) => request.getAttributes(type)).flatMap(
    (attribute) => new ExtensionsAttribute(attribute.rawData).items,
  )
}
