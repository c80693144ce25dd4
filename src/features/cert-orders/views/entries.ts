import { formatName } from '../rules/csr/names.ts'
import { nameOid } from '../rules/csr/oid-names.ts'
import { type Entry, WARNING } from '../rules/entries.ts'
import type { RequestedContent } from '../rules/order.ts'
import { listFieldValues } from '../rules/request-fields.ts'

/** Every value that an order sends, in full. What reviewers should look at comes first. */
export const listOrderEntries = ({ content, content: { csr } }: { content: RequestedContent }): Entry[] => [
  { label: WARNING, values: csr.warnings },
  ...[['Action', content.request.action] as const, ...listFieldValues(content)].flatMap(
    ([label, value]): Entry[] => (value === undefined ? [] : [{ label, values: [value] }]),
  ),
  ...csr.subjectParts.map(({ label, text }) => ({ label: `Subject ${label}`, values: [text] })),
  { label: 'Name', values: csr.names.map(formatName) },
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
