import { formatExtensionName } from '../rules/csr/describe-extension.ts'
import { formatName } from '../rules/csr/names.ts'
import type { CsrFacts, Order } from '../rules/order.ts'
import type { Entry } from '../rules/pages.ts'
import { listFieldValues } from '../rules/request-fields.ts'

/** Every value that an order sends, in full. Suspicious ones come first. */
export const listOrderEntries = ({ content: { request, csr, names } }: Order): Entry[] => [
  ...listUnusual(csr),
  ...[['Action', request.action] as const, ...listFieldValues(request, names)].flatMap(
    ([label, value]): Entry[] =>
      value === undefined || CONTACT_LABELS.includes(label) ? [] : [{ label, values: [value] }],
  ),
  ...CONTACT_KINDS.map(([type, label]) => ({
    label,
    values: (request.contacts ?? []).flatMap((contact) => (contact.type === type ? [contact.id] : [])),
  })),
  ...listRequestEntries(csr),
]

const CONTACT_KINDS = [
  ['admin', 'Admin contact'],
  ['tech', 'Tech contact'],
] as const
const CONTACT_LABELS: readonly string[] = ['Admin contact IDs', 'Tech contact IDs']

/** Everything in the CSR, in full. */
export const listRequestEntries = (csr: CsrFacts): Entry[] => [
  ...csr.subjectParts.map(({ label, text }) => ({ label: `Subject ${label}`, values: [text] })),
  { label: 'Name', values: csr.names.map(formatName) },
  { label: 'Key', values: [csr.key] },
  { label: 'Key fingerprint', values: [csr.keyHash] },
  { label: 'Signature', values: [`${csr.signature}, verified`] },
  ...csr.extensions.map((extension) => ({
    label: `${extension.isCritical ? 'Critical extension' : 'Extension'} ${formatExtensionName(extension)}`,
    values: [extension.value],
  })),
  ...csr.attributes.map(({ name, oid, values }) => ({
    label: `Attribute ${name === undefined ? oid : `${name} (${oid})`}`,
    values: values.length > 0 ? values : ['(empty)'],
  })),
]

/** Everything that needs a look, with all reasons in full. */
export const listUnusual = ({ warnings, extensions, look: { first } }: CsrFacts): Entry[] => [
  { label: 'Needs a look', values: warnings },
  {
    label: 'Extension that needs a look',
    values: extensions.flatMap((extension) =>
      extension.why === undefined ? [] : [`${formatExtensionName(extension)}: ${extension.why}`],
    ),
  },
  {
    label: 'Name that needs a look',
    values: first.map(({ name, why }) => `${formatName(name)}: ${why.join('; ')}`),
  },
]
