import { pluralize } from '../../../../domain/wording.ts'
import { parseDays } from '../duration.ts'
import type { Csr } from './csr.ts'
import { formatExtensionName } from './describe-extension.ts'

type ReviewedCsr = Pick<Csr, 'extensions' | 'attributes' | 'look' | 'warnings'>

interface ParsedOrder {
  csr: ReviewedCsr
  request: { duration: string }
}

/** Whether a person must look at an order because something about it is unusual. */
export const needsReview = (order: ParsedOrder): boolean => findUnusual(order).length > 0

/** Lists the parts of an order that need a look, in a few words each. */
export function findUnusual({
  csr: { extensions, attributes, look, warnings },
  request,
}: ParsedOrder): string[] {
  return [
    ...(parseDays(request.duration) === undefined ? ['a duration that can’t be read'] : []),
    ...extensions.flatMap((extension) =>
      extension.why === undefined ? [] : [`asks for ${formatExtensionName(extension)}`],
    ),
    ...attributes.map(
      ({ name, oid }) => `asks for the attribute ${name === undefined ? oid : `${name} (${oid})`}`,
    ),
    ...(look.total > 0 ? [pluralize(look.total, 'name')] : []),
    ...(warnings.length > 0 ? [pluralize(warnings.length, 'warning')] : []),
  ]
}
