import type { SuggestedCommand } from '@signalman/runtime'
import MiniSearch from 'minisearch'
import { cmd } from '../../domain/command-names.ts'
import { splitWords } from '../../domain/quoting.ts'
import { isAllowed } from '../access/access.ts'
import type { Rights } from './command-context.ts'
import { suggestLine } from './lines.ts'
import { isPolite } from './meant-line.ts'
import type { Verb } from './routes.ts'

/** A worse one than this part of the best is about something else. */
const MIN_SHARE = 0.4
/** Of a sentence, a single word says little about what is wanted. */
const MIN_WORDS = 0.25
const MAX_FOUND = 3
/** Of a longer text, the first words say what it's about. */
const MAX_WORDS = 12
/** No word of a command is as long. */
const MAX_LENGTH = 20

/** Finds the commands that a person can use and whose lines or descriptions have words of a text, the best ones first. */
export async function searchCommands(
  { actor, roles }: Pick<Rights, 'actor' | 'roles'>,
  verbs: readonly Verb[],
  text: string,
): Promise<Verb[]> {
  const words = splitWords(text)
    .filter((word) => !isPolite(word) && word.text.length <= MAX_LENGTH)
    .slice(0, MAX_WORDS)
  if (words.length === 0) return []
  const held = await roles()
  const shown = verbs.filter((verb) => !verb.hidden && verb.verb !== 'help' && isAllowed(actor, held, verb))
  const index = new MiniSearch<{ id: number }>({ fields: ['line', 'description'] })
  index.addAll(shown.map(({ line, description }, id) => ({ id, line, description })))
  const found = index.search(words.map((word) => word.text).join(' '), {
    boost: { line: 4 },
    // Of a short word, one letter more or less is another word.
    prefix: (term) => term.length > 3,
    fuzzy: (term) => (term.length > 5 ? 0.2 : false),
  })
  const [{ score: best = 0 } = {}] = found
  return found
    .filter(
      ({ score, queryTerms }) => score >= best * MIN_SHARE && queryTerms.length >= words.length * MIN_WORDS,
    )
    .slice(0, MAX_FOUND)
    .flatMap(({ id }) => shown[id] ?? [])
}

/** A button for a command: its line, if that shows something or opens a window, or else its help. */
export function suggestVerb({ command, verb, line, parameters = [], declared }: Verb): SuggestedCommand {
  const runs = !declared.isAct && parameters.every(({ required }) => !required)
  return runs ? suggestLine(line) : { label: `Help for ${cmd(line)}`, line: `/${command} help ${verb}` }
}
