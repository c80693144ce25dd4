import { readDays } from '../duration.ts'
import type { Csr } from './csr.ts'
import { extensionName } from './describe-extension.ts'

type Facts = Pick<Csr, 'extensions' | 'attributes' | 'look' | 'warnings'>

interface Looked {
  csr: Facts
  request: { duration: string }
}

/** Whether anything about an order is unusual, so that somebody has to look at it. */
export const needsLook = (order: Looked): boolean => asksFor(order).length > 0

const count = (many: number, one: string, more = `${one}s`): string => `${many} ${many === 1 ? one : more}`

/** What of an order needs a look, in a few words each; the reasons and values are shown elsewhere, in full. */
export function asksFor({ csr: { extensions, attributes, look, warnings }, request }: Looked): string[] {
  return [
    ...(readDays(request.duration) === undefined ? ['a duration that can’t be read'] : []),
    ...extensions.flatMap((one) => (one.why === undefined ? [] : [`asks for ${extensionName(one)}`])),
    ...attributes.map(
      ({ name, oid }) => `asks for the attribute ${name === undefined ? oid : `${name} (${oid})`}`,
    ),
    ...(look.total > 0 ? [count(look.total, 'name')] : []),
    ...(warnings.length > 0 ? [count(warnings.length, 'warning')] : []),
  ]
}
