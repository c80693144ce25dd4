import type { SuggestedCommand } from '@signalman/runtime'
import MiniSearch from 'minisearch'
import { cmd } from '../../domain/command-names.ts'
import { splitWords } from '../../domain/quoting.ts'
import { isAllowed } from '../access/access.ts'
import type { Rights } from '../routes/command-context.ts'
import { suggestLine } from '../routes/lines.ts'
import type { Verb } from '../routes/routes.ts'
import { isPolite } from './meant-line.ts'

/** A worse one than this part of the best is about something else. */
const MIN_SHARE = 0.4
/** Of a sentence, a single word says little about what is wanted. */
const MIN_WORDS = 0.5
const MAX_FOUND = 3
/** Of a longer text, the first words say what it's about. */
const MAX_WORDS = 12
/** No word of a command is as long. */
const MAX_LENGTH = 20
/** Words that are in descriptions, and say nothing about what is looked for. */
const COMMON = new Set(
  'all any each every with without from into that what who only one no not now here'.split(' '),
)

/** Finds the verbs of a command that a person can use, and whose line or description has words of a text, the best ones first. */
export async function searchCommands(
  { actor, roles }: Pick<Rights, 'actor' | 'roles'>,
  known: ReadonlyMap<string, Verb>,
  text: string,
): Promise<Verb[]> {
  const words = splitWords(text)
    .filter((word) => !isPolite(word) && word.text.length <= MAX_LENGTH)
    .map((word) => word.text.toLowerCase())
    .filter((word) => !COMMON.has(word))
    .slice(0, MAX_WORDS)
  if (words.length === 0) return []
  const held = await roles()
  const found = findIndex(known).search(words.join(' '), {
    boost: { line: 4 },
    // Of a short word, one letter more or less is another word.
    prefix: (term) => term.length > 3,
    fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    filter: ({ id }) => {
      const verb = known.get(id)
      return verb !== undefined && isAllowed(actor, held, verb)
    },
  })
  const [{ score: best = 0 } = {}] = found
  return found
    .filter(
      ({ score, queryTerms }) => score >= best * MIN_SHARE && queryTerms.length >= words.length * MIN_WORDS,
    )
    .slice(0, MAX_FOUND)
    .flatMap(({ id }) => known.get(id) ?? [])
}

const indexes = new WeakMap<ReadonlyMap<string, Verb>, MiniSearch>()

/** The index of a command's verbs, which is created once. */
function findIndex(known: ReadonlyMap<string, Verb>): MiniSearch {
  const made = indexes.get(known)
  if (made) return made
  const index = new MiniSearch({ idField: 'verb', fields: ['line', 'description'] })
  const shown = [...known.values()].filter(({ hidden, verb }) => !hidden && verb !== 'help')
  index.addAll(shown.map(({ verb, line, description }) => ({ verb, line, description })))
  indexes.set(known, index)
  return index
}

/** A button for a command: its line, if that shows something or opens a window, or else its help. */
export function suggestVerb({ command, verb, line, parameters = [], declared }: Verb): SuggestedCommand {
  const runs = !declared.isAct && parameters.every(({ required }) => !required)
  return runs ? suggestLine(line) : { label: `Help for ${cmd(line)}`, line: `/${command} help ${verb}` }
}
