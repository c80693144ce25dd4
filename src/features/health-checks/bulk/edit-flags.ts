import type { Arguments } from '../../../bot/grammar/read-words.ts'
import {
  choiceField,
  type Field,
  type FieldOptions,
  type FieldTable,
  flagSpecs,
  parsedTextField,
  readFields,
  yesNoField,
} from '../../../bot/typed/fields.ts'
import { PROTOCOLS } from '../../../bot/views/check-facts.ts'
import { joinNames } from '../../../domain/wording.ts'
import { frequencyField } from '../parse.ts'
import { CHECK_FIELDS, FIELDS, type Patch, RESOLVE, type Settings } from '../rules/fields.ts'
import { formatValue } from '../rules/settings.ts'

/** A flag whose value is read like an input of a window, or a cell of a file. */
const typedField = <T extends string | number | null>(
  { read }: { read(typed: string): T },
  flag: string,
  label: string,
  options: FieldOptions<T> = {},
): Field<T> => parsedTextField(flag, label, { ...options, read, write: (value) => String(value ?? RESOLVE) })

/** The settings that `/hc edit` changes in one line. */
const SETTINGS: FieldTable<Patch> = {
  name: typedField(CHECK_FIELDS.name, 'name', 'Name'),
  frequency: frequencyField,
  port: typedField(CHECK_FIELDS.port, 'port', 'Port', { valueName: 'N' }),
  verifySsl: yesNoField('verify-ssl', 'Verify the SSL/TLS certificate', {}),
  httpServerAddress: typedField(CHECK_FIELDS.httpServerAddress, 'server-address', 'Server address', {
    hint: 'An IP address, or “resolve” to resolve the domain in the target.',
  }),
  protocol: choiceField<string>('protocol', 'Protocol', PROTOCOLS),
  target: typedField(CHECK_FIELDS.target, 'target', 'Target', { isWord: true }),
  customerId: typedField(CHECK_FIELDS.customerId, 'customer', 'Customer ID', { valueName: 'N' }),
}

export const EDIT_FLAGS = flagSpecs(SETTINGS)

/** The settings that `/hc edit` was typed with. Empty if there are none. */
export const parsePatch = (flags: Arguments['flags']): Patch => readFields(SETTINGS, flags)

/** `Set frequency to every 30 s and server address to the one from DNS on`. */
export function describePatch(set: Patch): string {
  const settings = FIELDS.flatMap((field) => {
    if (set[field] === undefined) return []
    const value = set[field] === null ? 'the one from DNS' : formatValue(field, set as Settings)
    return [`${CHECK_FIELDS[field].label} to ${value}`]
  })
  return `Set ${joinNames(settings)} on`
}
