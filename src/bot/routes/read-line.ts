import { UserError } from '@signalman/runtime'
import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { toZoned, type Zoned } from '../../domain/dates/zoned.ts'
import { closestWord } from '../../domain/mistyped-word.ts'
import { joinWords, type Word } from '../../domain/quoting.ts'
import { type FlagSpecs, matchFlag } from '../grammar/flags.ts'
import { type Arguments, readWords } from '../grammar/read-words.ts'
import { Refused } from '../grammar/refused.ts'
import { SENTENCES, UNNAMED_VERBS, type UnnamedVerb } from '../grammar/sentences.ts'
import { readWord, type Slot } from '../grammar/slots.ts'
import { splitTyped, splitWords } from '../grammar/split-words.ts'
import { type RouteTable, type Verb, verbName } from './routes.ts'

export type Verbs = Pick<RouteTable, 'findVerbs' | 'findWords' | 'commands'>

/** A line that was read. */
export interface Reading {
  readonly verb: Verb
  /** The words after the verb, with the flags. */
  readonly words: readonly Word[]
  readonly args: Arguments
  /** For a line without a verb: what to say and suggest if nothing has the name. */
  readonly otherwise?: Refused | undefined
}

/** Every verb accepts this flag. It overrides the channel's environment. */
const ENVIRONMENT_FLAG = { env: ['production', 'ote'] } as const
const SHARE_FLAGS = { share: 'switch', yes: 'switch' } as const
/** Verbs that open a window accept this flag: the line of the answer with the button, which is redrawn after the form. */
const ORIGIN_FLAG = { from: 'value' } as const

/** The flags that every verb accepts, or every verb of its kind. */
export const commonFlags = ({ shares, opensModal }: Verb): FlagSpecs => ({
  ...ENVIRONMENT_FLAG,
  ...(shares && SHARE_FLAGS),
  ...(opensModal && ORIGIN_FLAG),
})

export interface ReadOptions {
  /** True for text that a person typed, which may be a sentence. */
  isTyped: boolean
  now?: Date
}

/** Reads a line: `command` without its slash, and the text after it. Throws Refused; UserError for an unknown command. */
export function readLine(
  verbs: Verbs,
  command: string,
  text: string,
  { isTyped, now = new Date() }: ReadOptions,
): Reading {
  const reader = new LineReader(verbs, isTyped, toZoned(now, 'UTC'))
  return reader.read(command, isTyped ? splitTyped(text) : splitWords(text))
}

class LineReader {
  readonly #verbs: Verbs
  readonly #isTyped: boolean
  readonly #now: Zoned

  constructor(verbs: Verbs, isTyped: boolean, now: Zoned) {
    this.#verbs = verbs
    this.#isTyped = isTyped
    this.#now = now
  }

  read(command: string, typed: readonly Word[]): Reading {
    const bare = this.#verbs.findVerbs(command)?.get('')
    if (!bare) throw new UserError(`This deployment has no command \`${cmd(`/${command}`)}\`.`)
    const words = moveEnvironment(this.#withoutCommand(command, typed))
    const [first] = words
    if (!first || first.text === '' || matchFlag(first)) return this.#readVerb(bare, words)
    const sentence = this.#readSentence(command, words)
    if (sentence) return sentence
    const found = this.findVerb(command, words)
    if (!found) return this.#readUnnamed(command, words)
    try {
      return this.#readVerb(found.verb, words.slice(found.count))
    } catch (error) {
      // A name such as “Status page” begins with a verb that takes no words.
      if (!(error instanceof Refused) || !isNameless(found.verb) || words.length === found.count) throw error
      const problem = new Refused(error.message, [...error.lines, verbName(found.verb)])
      return this.#readUnnamed(command, words, problem)
    }
  }

  /** `/hc /hc list`: a copied line that begins with its command again. Throws Refused for one of another command. */
  #withoutCommand(command: string, words: readonly Word[]): readonly Word[] {
    const [first, ...rest] = words
    if (!this.#isTyped || !first || first.isQuoted || !first.text.startsWith('/')) return words
    const typed = first.text.toLowerCase()
    const repeated = this.#verbs
      .commands()
      .find((known) => typed === `/${known}` || typed === cmd(`/${known}`))
    if (repeated === undefined) return words
    if (repeated === command) return rest
    throw new Refused(`${cmd(`/${repeated}`)} is another command.`, [
      `/${repeated} ${joinWords(rest)}`.trim(),
    ])
  }

  /** Finds the verb at the start of the words, and how many of them name it. The longest wins: `access grant`. */
  findVerb(command: string, words: readonly Word[]): { verb: Verb; count: number } | undefined {
    const { findWords } = this.#verbs
    for (let count = Math.min(MAX_VERB_WORDS, words.length); count > 0; count -= 1) {
      const first = words.slice(0, count)
      if (first.some(({ isQuoted }) => isQuoted)) continue
      const verb = findWords(command).get(first.map(({ text }) => text.toLowerCase()).join(' '))
      if (verb) return { verb, count }
    }
    return undefined
  }

  /** Reads the words after a verb. A verb may stand for another one with these arguments. */
  #readVerb(verb: Verb, words: readonly Word[]): Reading {
    const { slots = [], flags, elsewhere } = verb
    const rules = { line: verbName(verb), slots, flags: { ...flags, ...commonFlags(verb) }, elsewhere }
    const args = readWords(rules, words, this.#now)
    const other = verb.redirect?.(args)
    const target = other === undefined ? undefined : this.#verbs.findVerbs(verb.command)?.get(other)
    return target ? this.#readVerb(target, words) : { verb, words, args }
  }

  #readSentence(command: string, words: readonly Word[]): Reading | undefined {
    if (!this.#isTyped) return undefined
    const { plain, flags } = splitFlags(words)
    const typed = plain.map((word) => (word.isQuoted ? joinWords([word]) : word.text)).join(' ')
    if (typed.length > MAX_SENTENCE) return undefined
    const sentence = SENTENCES.find((known) => known.command === command && known.pattern.test(typed))
    if (!sentence) return undefined
    const meant = typed.replace(sentence.pattern, sentence.line).replaceAll('""', '"').trim()
    const [, otherCommand = '', rest = ''] = /^\/(\S+) ?(.*)$/s.exec(meant) ?? []
    const line = [meant, joinWords(flags)].filter(Boolean).join(' ')
    const other = [...splitWords(rest), ...flags]
    const target = this.findVerb(otherCommand, other)
    // This deployment may not have the verb.
    if (!target && rest !== '') return undefined
    const verb = target?.verb ?? this.#verbs.findVerbs(otherCommand)?.get('')
    if (!verb) return undefined
    const reading = this.#readVerb(verb, other.slice(target?.count ?? 0))
    if (isRead(reading) && !sentence.isOffer) return reading
    throw new Refused(`Did you mean “${clip(cmd(line), 120)}”?`, [line])
  }

  /** Reads a line that doesn't begin with a verb. Only a read runs; what else it may mean is suggested. */
  #readUnnamed(command: string, words: readonly Word[], problem?: Refused): Reading {
    const refusals: Refused[] = []
    for (const unnamed of UNNAMED_VERBS[command] ?? []) {
      const tried = this.#tryVerb(command, unnamed, words)
      if (!tried) continue
      if (tried instanceof Refused) {
        // The words are of a kind that only this verb takes, so its refusal says what's wrong.
        if (unnamed.needs && !unnamed.needs.includes('uuid'))
          throw this.#explainMistyped(command, words, tried)
        refusals.push(tried)
        continue
      }
      if (unnamed.isOffer)
        throw (
          problem ?? this.#notUnderstood(command, words, [`${unnamed.line} ${joinWords(words)}`], refusals)
        )
      return { ...tried, otherwise: problem ?? this.#notUnderstood(command, words, [], refusals) }
    }
    throw problem ?? this.#notUnderstood(command, words, [], refusals)
  }

  /** In `aprove 12`, the first word is probably a mistyped verb. */
  #explainMistyped(command: string, words: readonly Word[], refused: Refused): Refused {
    const [first] = words
    const isMistyped =
      first && !first.isQuoted && words.length > 1 && this.#findTypo(command, first.text) !== undefined
    return isMistyped ? this.#notUnderstood(command, words, [], [refused]) : refused
  }

  /** Reads words as those of a verb. Undefined if none of them is one of the slots that it needs. */
  #tryVerb(
    command: string,
    { line, needs, isOffer }: UnnamedVerb,
    words: readonly Word[],
  ): Reading | Refused | undefined {
    const verb = this.#verbs.findVerbs(command)?.get(line.split(' ')[1] ?? '')
    if (!verb) return undefined
    try {
      const reading = this.#readVerb(verb, words)
      const { flags, values, lists } = reading.args
      return !needs || needs.some((name) => flags[name] ?? values[name] ?? lists[name]) ? reading : undefined
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const isNeeded = (slot: Slot) =>
        needs?.includes(slot.flag ?? slot.name) && words.some((word) => readWord(slot, word) !== undefined)
      return !isOffer && (!needs || verb.slots?.some(isNeeded)) ? error : undefined
    }
  }

  #notUnderstood(
    command: string,
    words: readonly Word[],
    suggested: readonly string[],
    refusals: readonly Refused[],
  ): Refused {
    const [first] = words
    const others = joinWords(words.slice(1))
    const lineWith = (line: string) => `${line} ${others}`.trim()
    const elsewhere =
      first && !first.isQuoted ? this.#findElsewhere(command, first.text.toLowerCase()) : undefined
    const meant = first && !first.isQuoted ? this.#findTypo(command, first.text) : undefined
    const typedVerb = clip(first?.text ?? '', 60)
    if (elsewhere)
      return new Refused(`“${typedVerb}” is a command of ${cmd(elsewhere.split(' ', 1).join(''))}.`, [
        lineWith(elsewhere),
      ])
    const hint = meant === undefined ? '' : ` Did you mean ${cmd(meant)}?`
    const unknown = `${cmd(`/${command}`)} has no command “${typedVerb}”.${hint}`
    if (suggested.length > 0) return new Refused(unknown, suggested)
    const ids = words.filter((word) => readWord({ kind: 'event' }, word) !== undefined)
    return new Refused(unknown, [
      ...(ids.length > 0 && command !== 'threat' ? [`/threat ${joinWords(ids)}`] : []),
      ...(meant ? [lineWith(meant)] : []),
      ...refusals.flatMap(({ lines }) => lines),
    ])
  }

  /** The line of another command's verb: `/cert-order approve` for `/hc approve`. */
  #findElsewhere(command: string, word: string): string | undefined {
    const { commands, findWords, findVerbs } = this.#verbs
    if (word !== command && findVerbs(word)) return `/${word}`
    for (const other of commands()) {
      const verb = other === command ? undefined : findWords(other).get(word)
      if (verb && !verb.hidden) return verbName(verb)
    }
    return undefined
  }

  /** The line of the verb that was probably mistyped. */
  #findTypo(command: string, word: string): string | undefined {
    const known = [...this.#verbs.findWords(command)].filter(
      ([name, { hidden }]) => !hidden && !name.includes(' '),
    )
    const close = closestWord(
      word,
      known.map(([name]) => name),
      { lettersPerTypo: LETTERS_PER_TYPO },
    )
    const verb = known.find(([name]) => name === close)?.[1]
    return verb && verbName(verb)
  }
}

/** `on it`, `access grant`, and the like. */
const MAX_VERB_WORDS = 3
const MAX_SENTENCE = 200
/** Short words are close to many others: `end` is one letter from `env`. */
const LETTERS_PER_TYPO = 4

const isNameless = ({ slots = [], opensModal, isAct }: Verb): boolean =>
  slots.length === 0 && !opensModal && !isAct

/** Whether running a line only reads. */
export const isRead = ({ verb, args }: Pick<Reading, 'verb' | 'args'>): boolean =>
  !verb.opensModal && !isActOf(verb, args) && args.flags.share !== true

export const isActOf = ({ isAct }: Verb, args: Arguments): boolean =>
  typeof isAct === 'function' ? isAct(args) : isAct === true

/** Moves a leading `--env X` to the end, so that the verb comes first. */
function moveEnvironment(words: readonly Word[]): readonly Word[] {
  const [first, second] = words
  const flag = first && matchFlag(first)
  if (!first || flag?.name !== 'env') return words
  const count = flag.value === undefined && second ? 2 : 1
  return [...words.slice(count), ...words.slice(0, count)]
}

/** Separates the flags that every verb accepts from the other words, so that a sentence keeps them. */
function splitFlags(words: readonly Word[]): { plain: Word[]; flags: Word[] } {
  const plain: Word[] = []
  const flags: Word[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]
    if (!word) continue
    const flag = matchFlag(word)
    if (!flag) {
      plain.push(word)
      continue
    }
    flags.push(word)
    const next = words[index + 1]
    const takesValue =
      flag.value === undefined && !['share', 'yes', 'me', 'mine', 'all', 'details'].includes(flag.name)
    if (takesValue && next && !matchFlag(next)) {
      flags.push(next)
      index += 1
    }
  }
  return { plain, flags }
}
