import { clip } from '../../../blocks/text.ts'
import { UserError } from '../../../errors.ts'
import { defang } from '../defang.ts'
import { EXAMPLE_ID, type FoundIds, findIds } from './ids.ts'

const MAX_IDS = 10
const NAMED_STRANGERS = 5

const FORM = `An id looks like ${EXAMPLE_ID}: 8, 4, 4, 4 and 12 of the signs 0–9 and a–f, with dashes between.`
const HELP = { label: 'Help', line: '/threat help' }

/** The ids of a `/threat` line. Throws UserError when there are none, or more than ten. */
export function parseIds(words: readonly string[]): FoundIds {
  const found = findIds(words)
  const { ids, strangers } = found
  if (ids.length > MAX_IDS)
    throw new UserError(
      `That is ${ids.length} ids; one line takes ${MAX_IDS}. Send the rest in another line.`,
    )
  if (ids.length > 0) return found
  if (strangers.length === 0)
    throw new UserError(`Type the id of a threat event behind /threat. ${FORM}`, [HELP])
  throw new UserError(`${named(strangers)} no threat event id. ${FORM}`, [HELP])
}

/** A sentence on what was typed beside ids, when there was anything. */
export function strangersNote(strangers: readonly string[]): string[] {
  return strangers.length === 0 ? [] : [`${named(strangers)} no threat event id and left out. ${FORM}`]
}

/** `“foo” is`, `“foo” and “bar” are`: typed words may be copied from anywhere, so they are defanged too. */
function named(strangers: readonly string[]): string {
  const shown = strangers.slice(0, NAMED_STRANGERS).map((word) => `“${clip(defang(word), 60)}”`)
  const left = strangers.length - shown.length
  const names = left > 0 ? [...shown, `${left} more`] : shown
  const last = names.pop() ?? ''
  return names.length === 0 ? `${last} is` : `${names.join(', ')} and ${last} are`
}
