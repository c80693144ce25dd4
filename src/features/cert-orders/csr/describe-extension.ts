import { elementsIn } from './der.ts'
import { type ExtensionValue, READERS } from './extension-values.ts'
import { ALTERNATIVE_NAMES, type RequestedExtension } from './extensions.ts'
import { EXTENSION_NAMES } from './object-names.ts'

/** One requested extension for people. */
export interface ShownExtension {
  /** Its name, or its object identifier. */
  name: string
  value: string
  isCritical?: true
  /** Why it deserves a look, where it does. */
  why?: string
}

const LONGEST_HEX = 64

/** All that the request asks for beside its names. Each is read on its own: what is damaged is shown as it is written. */
export const shownExtensions = (extensions: readonly RequestedExtension[]): ShownExtension[] =>
  extensions.filter(({ id }) => id !== ALTERNATIVE_NAMES).map(shown)

function shown({ id, isCritical, value }: RequestedExtension): ShownExtension {
  const name = EXTENSION_NAMES[id] ?? id
  const read = readValue(id, value)
  const why =
    read.why ?? (isCritical && !EXTENSION_NAMES[id] ? 'it is unknown, and said to be critical' : undefined)
  return { name, value: read.value, ...(isCritical && { isCritical }), ...(why !== undefined && { why }) }
}

function readValue(id: string, value: Buffer): ExtensionValue {
  const read = READERS[id]
  if (!read) return { value: hex(value) }
  try {
    const [element, ...more] = elementsIn(value)
    if (!element || more.length > 0) throw new RangeError('One value is expected.')
    return read(element)
  } catch {
    return {
      value: `${hex(value)} (not in the form that it must have)`,
      why: 'it is not in the form that it must have',
    }
  }
}

function hex(value: Buffer): string {
  const shown = value.toString('hex', 0, LONGEST_HEX)
  return value.length > LONGEST_HEX ? `${shown}… (${value.length} bytes)` : shown || '(empty)'
}
