import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { toZoned, type Zoned } from '../../domain/dates/zoned.ts'
import { joinWords, type Word, writeTyped } from '../../domain/quoting.ts'
import { matchFlag } from '../grammar/flags.ts'
import { isSign } from '../grammar/refuse-words.ts'
import { Refused } from '../grammar/refused.ts'
import { findMeant, type Sentence } from '../grammar/sentence.ts'
import { ENVIRONMENT, REWRITES, SENTENCES } from '../grammar/sentences.ts'
import { readWord, type Slot } from '../grammar/slots.ts'
import { splitTyped, splitWords } from '../grammar/split-words.ts'
import { UNNAMED_VERBS, type UnnamedVerb } from '../grammar/unnamed-verbs.ts'
import { hasProse, moveEnvironment, splitFlags, writePlain, writeWords } from './line-words.ts'
import { findTypos, refuseTwoMeanings } from './meant-verb.ts'
import { findBareVerb, findVerb, isActOf, type Reading, readVerb, type Verbs } from './read-line.ts'
import { type Verb, verbName } from './routes.ts'

/**
 * Reads text that a person typed after a command, which may be a sentence. `command` is without its slash. Throws Refused; UserError
 * for an unknown command.
 */
export function readTyped(verbs: Verbs, command: string, text: string, timeZone = 'UTC'): Reading {
  const reader = new TypedReader(verbs, toZoned(new Date(), timeZone))
  const words = splitTyped(text)
  const whole = splitTyped(text, { isWhole: true })
  const isCut = whole.length !== words.length || whole.at(-1)?.text !== words.at(-1)?.text
  return isCut ? reader.readCut(command, words, whole) : reader.read(command, words)
}

/** A suggested line in a refusal. Its button has the whole line. */
const quoteLine = (line: string): string => clip(cmd(line), 120)

class TypedReader {
  readonly #verbs: Verbs
  readonly #now: Zoned

  constructor(verbs: Verbs, now: Zoned) {
    this.#verbs = verbs
    this.#now = now
  }

  /** Reads a line without its courtesy, unless it has free text: that is kept as typed, as in `ask 12 which team, please?`. */
  readCut(command: string, words: readonly Word[], whole: readonly Word[]): Reading {
    try {
      const reading = this.read(command, words)
      if (!hasProse(reading.verb) && !this.#isProseLine(reading.otherwise)) return reading
    } catch (error) {
      if (!(error instanceof Refused) || !this.#isProseLine(error)) throw error
    }
    return this.read(command, whole)
  }

  /** Whether the line that was probably meant has free text. */
  #isProseLine(refused: Refused | undefined): boolean {
    const [command = '', ...rest] = refused?.lines[0]?.slice(1).split(' ') ?? []
    const words = rest.map((text) => ({ text, isQuoted: false }))
    const meant = this.#verbs.findVerbs(command) ? this.findVerb(command, words) : undefined
    return meant !== undefined && hasProse(meant.verb)
  }

  read(command: string, typed: readonly Word[], depth = 0): Reading {
    const bare = findBareVerb(this.#verbs, command)
    const words = moveEnvironment(this.#withoutCommand(command, typed))
    const [first] = words
    if (!first || first.text === '' || matchFlag(first)) return this.#readVerb(bare, words)
    const found = this.findVerb(command, words)
    if (found?.count === words.length) return this.#readVerb(found.verb, [])
    const sentence = this.#readPhrase(command, words, found, depth)
    if (sentence) return sentence
    refuseTwoMeanings(command, words, found?.count ?? 0)
    if (!found)
      return this.#readSentence(command, words, { isNamed: true }) ?? this.#readUnnamed(command, words)
    try {
      return this.#readVerb(found.verb, words.slice(found.count))
    } catch (error) {
      // A name such as “Status page” begins with a verb that takes no words.
      if (!(error instanceof Refused) || !isNameless(found.verb)) throw error
      const problem = new Refused(error.message, [...error.lines, verbName(found.verb)])
      return this.#readElsewhere(found, words) ?? this.#readUnnamed(command, words, problem)
    }
  }

  /** A sentence, or a line that means the same with other words. `found` is the verb at the start. */
  #readPhrase(
    command: string,
    words: readonly Word[],
    found: { verb: Verb; count: number } | undefined,
    depth: number,
  ): Reading | undefined {
    const count = found?.count ?? 0
    // Free text may have any words.
    if (found && hasProse(found.verb) && words.length > count + 1) return undefined
    // A verb with nothing but flags isn't a sentence, and hardly any sentence begins with two words that name a verb.
    if (count > 0 && splitFlags(words.slice(count)).plain.length === 0) return undefined
    // In `is Shop up in ote`, a sentence would take the environment for a time.
    const hasEnvironment = ENVIRONMENT.test(writePlain(words)?.text ?? '')
    const sentence =
      count > 1 || hasEnvironment ? undefined : this.#readSentence(command, words, { isNamed: false })
    return sentence ?? this.#readRewritten(command, words, depth)
  }

  /** `status Shop`: the verb for names, unless all words are the name. Undefined if there is none, or if it doesn't take the words. */
  #readElsewhere(
    { verb, count }: { verb: Verb; count: number },
    words: readonly Word[],
  ): Reading | undefined {
    const other = verb.elsewhere?.name?.split(' ')[1]
    const target = other === undefined ? undefined : this.#verbs.findVerbs(verb.command)?.get(other)
    if (!target || verb.verb !== '') return undefined
    try {
      const reading = this.#readVerb(target, words.slice(count))
      return { ...reading, args: { ...reading.args, words: words.map(({ text }) => text) } }
    } catch (error) {
      if (error instanceof Refused) return undefined
      throw error
    }
  }

  /** A line with words that say only that someone asks, or that stand for a flag: `can you show Shop on production`. */
  #readRewritten(command: string, words: readonly Word[], depth: number): Reading | undefined {
    const typed = depth < MAX_REWRITES ? writePlain(words) : undefined
    if (!typed) return undefined
    const rewrite = REWRITES.find(({ pattern }) => pattern.test(typed.text))
    const other = rewrite
      ? splitWords(typed.text.replace(rewrite.pattern, rewrite.text))
      : this.#splitFirst(command, words)
    if (!other) return undefined
    const meant = rewrite ? [...other, ...typed.flags] : other
    const reading = this.read(command, meant, depth + 1)
    if (isRead(reading)) return reading
    const line = hasProse(reading.verb)
      ? `${verbName(reading.verb)} ${writeWords(reading.verb, reading.words)}`
      : `/${command} ${joinWords(meant)}`
    throw new Refused(`Did you mean “${quoteLine(line)}”?`, [line])
  }

  /** `list_down`: the parts of the first word, if the first is a verb. */
  #splitFirst(command: string, words: readonly Word[]): readonly Word[] | undefined {
    const [first, ...rest] = words
    const parts = first && !first.isQuoted ? first.text.split(/[_-]/).filter(Boolean) : []
    if (parts.length < 2 || this.findVerb(command, words)) return undefined
    const other = [...parts.map((text) => ({ text, isQuoted: false })), ...rest]
    return this.findVerb(command, other) ? other : undefined
  }

  /** `/hc /hc list`: a copied line that begins with its command again. Throws Refused for one of another command. */
  #withoutCommand(command: string, words: readonly Word[]): readonly Word[] {
    const [first, ...rest] = words
    if (!first || first.isQuoted) return words
    const typed = first.text.toLowerCase()
    if (typed === command && rest.length > 0) return rest
    if (rest.length === 0 && /^(?:--?(?:h|help)|\?)$/.test(typed)) return [{ text: 'help', isQuoted: false }]
    if (!typed.startsWith('/')) return words
    const repeated = this.#verbs
      .commands()
      .find((known) => typed === `/${known}` || typed === cmd(`/${known}`))
    if (repeated === undefined) return words
    if (repeated === command) return rest
    throw new Refused(`${cmd(`/${repeated}`)} is another command.`, [
      `/${repeated} ${joinWords(rest)}`.trim(),
    ])
  }

  /** Finds the verb at the start of the words, also as `takedown sent`, `un mute`, or `add_note`. */
  findVerb(command: string, words: readonly Word[]): { verb: Verb; count: number } | undefined {
    const known = this.#verbs.findWords(command)
    return findVerb(this.#verbs, command, words, (texts) => {
      const spellings = [' ', '-', ''].map((joint) => texts.join(joint))
      const parted = [' ', '-'].map((joint) => texts.join(' ').replaceAll('_', joint))
      return [...spellings, ...parted]
        .map((spelling) => known.get(spelling))
        .find((verb) => verb && !verb.hidden)
    })
  }

  #readVerb(verb: Verb, words: readonly Word[]): Reading {
    return readVerb(this.#verbs, verb, words, this.#now)
  }

  #readSentence(
    command: string,
    words: readonly Word[],
    { isNamed }: Pick<Sentence, 'isNamed'>,
  ): Reading | undefined {
    const typed = writePlain(words)
    if (!typed) return undefined
    const { text, flags } = typed
    const sentence = SENTENCES.find(
      (known) => known.command === command && known.isNamed === isNamed && known.pattern.test(`${text} `),
    )
    const meant = sentence && findMeant(sentence, text)
    if (!meant) return undefined
    const [, otherCommand = '', rest = ''] = /^\/(\S+) ?(.*)$/s.exec(meant) ?? []
    const line = [meant, joinWords(flags)].filter(Boolean).join(' ')
    const other = [...splitWords(rest), ...flags]
    const target = this.findVerb(otherCommand, other)
    // This deployment may not have the verb.
    const verb = target?.verb ?? this.#verbs.findVerbs(otherCommand)?.get('')
    if (!verb || (!target && rest !== '' && !verb.slots?.length)) return undefined
    const reading = this.#readVerb(verb, other.slice(target?.count ?? 0))
    if (isRead(reading) && !sentence.isOffer) return reading
    throw new Refused(`Did you mean “${quoteLine(line)}”?`, [line])
  }

  /** Reads a line that doesn't begin with a verb. Only a read runs; what else it may mean is suggested. */
  #readUnnamed(command: string, words: readonly Word[], problem?: Refused): Reading {
    const refusals: Refused[] = []
    const explain = (lines: readonly string[] = []) =>
      problem ?? this.#notUnderstood(command, words, lines, refusals)
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
      // In `listt down`, the name in which the first word was read hardly exists.
      if (unnamed.isOffer || this.#isLikelyVerb(command, unnamed, tried.verb, words)) {
        throw explain([`${unnamed.line} ${joinWords(words)}`])
      }
      return { ...tried, otherwise: explain() }
    }
    throw explain()
  }

  /** In `aprove 12`, the first word is probably a mistyped verb. */
  #explainMistyped(command: string, words: readonly Word[], refused: Refused): Refused {
    const [first] = words
    const isMistyped =
      first &&
      !first.isQuoted &&
      words.length > 1 &&
      (findTypos(this.#verbs, command, words).lines.length > 0 ||
        this.#moveVerb(command, words) !== undefined)
    return isMistyped ? this.#notUnderstood(command, words, [], [refused]) : refused
  }

  /** Reads words as those of a verb. Undefined if none of them is one of the slots that it needs. */
  #tryVerb(
    command: string,
    { line, needs, isOffer }: UnnamedVerb,
    words: readonly Word[],
  ): Reading | Refused | undefined {
    const verb = this.#verbs.findVerbs(command)?.get(line.split(' ')[1] ?? '')
    const hasPerson = words.some((word) => readWord({ kind: 'person' }, word) !== undefined)
    // A line about someone isn't one about a check.
    if (!verb || (isOffer && hasPerson && !verb.slots?.some(({ kind }) => kind === 'person')))
      return undefined
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
    const lineWith = (line: string) => {
      const [, other = '', verb = ''] = /^\/(\S+) ?(.*)$/.exec(line) ?? []
      return `${line} ${writeWords(this.#verbs.findVerbs(other)?.get(verb), words.slice(1))}`.trim()
    }
    const elsewhere =
      first && !first.isQuoted ? this.#findElsewhere(command, first.text.toLowerCase()) : undefined
    const typos = findTypos(this.#verbs, command, words)
    const isSure = typos.rating === 'sure'
    // No suggestion has a mistyped verb as a name.
    const moved = isSure ? undefined : this.#moveVerb(command, words)
    const typedVerb = clip(first?.text ?? '', 60)
    if (elsewhere)
      return new Refused(`“${typedVerb}” is a command of ${cmd(elsewhere.split(' ', 1).join(''))}.`, [
        lineWith(elsewhere),
      ])
    const hint = (moved === undefined || typos.lines.length > 0 ? typos.lines : [moved])
      .map(quoteLine)
      .join(' or ')
    const unknown = `${cmd(`/${command}`)} has no command “${typedVerb}”.${hint === '' ? '' : ` Did you mean ${hint}?`}`
    const [corrected = [], alike = []] = [typos.lines.slice(0, 1), typos.lines.slice(1)].map((lines) =>
      lines.map(lineWith),
    )
    const likely = [...corrected, ...(moved === undefined ? [] : [moved]), ...alike]
    const isTypo = (line: string) => isSure || typos.lines.some((typo) => line.startsWith(`${typo} `))
    const others = suggested.filter((line) => !isTypo(line))
    if (suggested.length > 0)
      return new Refused(unknown, [...likely.slice(0, 1), ...others, ...likely.slice(1)])
    const ids = words.filter((word) => readWord({ kind: 'event' }, word) !== undefined)
    return new Refused(unknown, [
      ...this.#withoutSigns(command, words),
      ...(ids.length > 0 && command !== 'threat' ? [`/threat ${joinWords(ids)}`] : []),
      ...likely,
      ...(isSure ? [] : refusals.flatMap(({ lines }) => lines)),
    ])
  }

  /** `is checkout up? 🙏`: the line without signs at its end. */
  #withoutSigns(command: string, words: readonly Word[]): string[] {
    const last = words.findLastIndex((word) => !isSign(word))
    if (last < 0 || last === words.length - 1) return []
    return [`/${command} ${writeTyped(words.slice(0, last + 1))}`]
  }

  /** `Shop history`, `12 approve`: the line with the verb at the start. The last word that is one counts. */
  #moveVerb(command: string, words: readonly Word[]): string | undefined {
    const last = words.length <= MAX_MOVED_WORDS ? words.length - 1 : 0
    for (let at = last; at > 0; at -= 1) {
      const found = this.findVerb(command, words.slice(at))
      if (!found || found.verb.hidden || found.verb.verb === '') continue
      const others = [...words.slice(0, at), ...words.slice(at + found.count)]
      if (this.#takesWords(found.verb, others))
        return `${verbName(found.verb)} ${writeWords(found.verb, others)}`
    }
    return undefined
  }

  #takesWords(verb: Verb, words: readonly Word[]): boolean {
    try {
      this.#readVerb(verb, words)
      return true
    } catch (error) {
      if (error instanceof Refused) return false
      throw error
    }
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

  /** Whether the first word is more likely a mistyped verb than a word of this one. */
  #isLikelyVerb(
    command: string,
    { needs }: UnnamedVerb,
    { slots = [] }: Verb,
    words: readonly Word[],
  ): boolean {
    const [first] = words
    if (!needs || !first || words.length < 2) return false
    const isKind = slots.some((slot) => slot.kind !== 'pattern' && readWord(slot, first) !== undefined)
    return !isKind && findTypos(this.#verbs, command, words).lines.length > 0
  }
}

const MAX_REWRITES = 4
/** Longer lines with a verb at the end are hardly typed. */
const MAX_MOVED_WORDS = 20

const isNameless = ({ slots = [], opensModal, isAct }: Verb): boolean =>
  slots.length === 0 && !opensModal && !isAct

/** Whether running a line only reads. */
const isRead = ({ verb, args }: Pick<Reading, 'verb' | 'args'>): boolean =>
  !verb.opensModal && !isActOf(verb, args) && args.flags.share !== true
