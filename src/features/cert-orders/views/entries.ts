import { formatName } from '../rules/csr/names.ts'
import { nameOid } from '../rules/csr/oid-names.ts'
import { type Entry, WARNING } from '../rules/entries.ts'
import type { RequestedContent } from '../rules/order.ts'
import { formatAction, listFieldValues } from '../rules/request-fields.ts'

export const ORDERED_LABEL = 'Ordered'
export const NAME_LABEL = 'Name'
export const COMMON_NAME_LABEL = 'Subject CN'

/** Every value that an order sends, in full. What reviewers should look at comes first. */
export const listOrderEntries = ({ content, content: { csr } }: { content: RequestedContent }): Entry[] => [
  { label: WARNING, values: csr.warnings },
  ...[[ORDERED_LABEL, formatAction(content.request)] as const, ...listFieldValues(content)].flatMap(
    ([label, value]): Entry[] => (value === undefined ? [] : [{ label, values: [value] }]),
  ),
  ...csr.subjectParts.map(({ label, text }) => ({ label: `Subject ${label}`, values: [text] })),
  { label: NAME_LABEL, values: csr.names.map(formatName) },
  { label: 'Key', values: [csr.key] },
  { label: 'Key fingerprint', values: [csr.keyHash] },
  { label: 'Signature', values: [`${csr.signature}, verified`] },
  ...csr.extensions.map((extension) => ({
    label: `${extension.isCritical ? 'Critical extension' : 'Extension'} ${nameOid(extension.oid)}`,
    values: [extension.value],
  })),
  ...csr.attributes.map(({ oid, values }) => ({
    label: `Attribute ${nameOid(oid)}`,
    values: values.length > 0 ? values : ['(empty)'],
  })),
]
