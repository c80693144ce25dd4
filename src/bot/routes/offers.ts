import type { NamedCheck } from '../../domain/mistyped-check-name.ts'
import { closestWord } from '../../domain/mistyped-word.ts'
import { PEM_BLOCK } from '../../domain/quoting.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import { typedFlags } from '../grammar/flags.ts'
import { type Kind, takesName } from '../grammar/parameters.ts'
import { findMeanings, findOurFlag, isAboutLine, type Meaning } from './other-tools.ts'
import type { Verbs } from './read-line.ts'
import type { Verb } from './routes.ts'
import {
  isNegation,
  isSmall,
  isWord,
  markNames,
  markPart,
  partTimes,
  type Token,
  toTokens,
} from './tokens.ts'
import { findForm, isAddress, isChannel, isEvent, isHost, isMoment, isPerson, isRole } from './value-forms.ts'
import {
  buildLine,
  type Candidate,
  changesByName,
  countWords,
  findShortest,
  isWhole,
  type Unread,
} from './write-offer.ts'

/** What to offer for a line that isn't run. */
export interface Offers {
  /** What to know, if Signalman doesn't do this, or does it in another way. */
  readonly note?: string | undefined
  /** A line that can be read. */
  readonly line?: string | undefined
  /** Other lines that may be meant, such as the same one for each other health check that was typed. */
  readonly others?: readonly string[]
  /** The words that it leaves out. */
  readonly leftOut?: string | undefined
  /** Without a line, the verb whose help leads on. */
  readonly help?: Verb | undefined
}

/** In characters, without a pasted request. A longer line is hardly a command, and looking for what it means would take long. */
const MAX_LENGTH = 400

const ONE_EACH = 'A line is for one health check, or for a pattern such as `shop*`. One line for each:'

/** A line that leaves out more words was hardly meant. */
const MAX_LEFT_OUT = 3

/** Asks how or whether something is done. What is offered for it changes nothing. */
export const QUESTION =
  /^(?:how|where|why|who|when|what|which|am|is|are|do|does|did|can|could|may|should)\b(?! you\b)/i

/**
 * Finds the line that may have been meant by one that isn't run: the verb among the first words, the values by their form, and the name
 * in what is left, written in the order of the verb. It's read by the reader. `checks` are the health checks, if they are known.
 */
export function findOffers(
  routes: Pick<Verbs, 'findVerbs'>,
  { command, text }: { readonly command: string; readonly text: string },
  read: Unread['read'],
  checks?: readonly NamedCheck[],
): Offers {
  const named =
    text.replace(PEM_BLOCK, '').length > MAX_LENGTH
      ? []
      : markNames(toTokens(writePatterns(text, checks)), checks ?? [])
  if (named.some(isNegation)) return {}
  const [offers = {}, ...others] = partNames(named).map((tokens) =>
    findOffersFor(routes, { command, text }, read, checks, tokens),
  )
  if (others.length === 0) return offers
  const lines = others.flatMap(({ line }) => line ?? [])
  return offers.line === undefined || lines.length < others.length
    ? { note: offers.note, help: offers.help }
    : { ...offers, note: offers.note ?? ONE_EACH, others: lines }
}

/** `shop and web`, or `shop web`: the tokens once with each of the names, if they are a list. */
function partNames(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const places = [...tokens.keys()].filter((at) => tokens[at]?.isName)
  const [start = 0, end = 0] = [places[0], places.at(-1)]
  const isAnd = (token: Token | undefined): boolean => /^(?:and|&)$/i.test(token?.text ?? '')
  const isList = tokens.slice(start, end).every((token) => token.isName || isAnd(token))
  if (places.length < 2 || !isList) return [tokens]
  return places.map((at) => [
    ...tokens.slice(0, start),
    ...tokens.slice(at, at + 1),
    ...tokens.slice(end + 1),
  ])
}

function findOffersFor(
  routes: Pick<Verbs, 'findVerbs'>,
  { command, text }: { readonly command: string; readonly text: string },
  read: Unread['read'],
  checks: readonly NamedCheck[] | undefined,
  named: readonly Token[],
): Offers {
  const known: ReadonlyMap<string, Verb> = routes.findVerbs(command) ?? new Map()
  const findVerb = (name: string): Verb | undefined => {
    const [, other, verb = ''] = /^\/([a-z-]+) ([a-z]+)$/.exec(name) ?? []
    return other === undefined ? known.get(name) : routes.findVerbs(other)?.get(verb)
  }
  const takesTime = ({ verbs }: Meaning): boolean =>
    verbs.some((name) => findVerb(name)?.parameters?.some(({ kind }) => kind === 'moment'))
  const timed = findVerbs(command, known, named).some(takesTime) ? partTimes(named) : named
  const said = findVerbs(command, known, timed)
  const tokens = said.length === 0 ? markPart(timed, checks ?? []) : timed
  const offers = findMeant({
    known,
    tokens,
    meanings: findRole(said, { tokens, findVerb }),
    instead: undefined,
    typed: `/${command} ${text}`,
    checks,
    findVerb,
    read,
  })
  const reading = offers.line === undefined ? undefined : read(offers.line)
  if (!reading?.mayChange || !QUESTION.test(text)) return offers
  return { note: offers.note, help: known.get(offers.line?.split(' ')[1] ?? '') ?? reading.verb }
}

/** `all shop checks`, where several begin with it. */
const writePatterns = (text: string, checks: readonly NamedCheck[] = []): string =>
  text.replaceAll(/\b(?:all|every) (?:the )?(\S+) (?:checks|monitors)\b/gi, (all: string, word: string) =>
    checks.some(({ name }) => foldName(name).startsWith(`${foldName(word)} `)) ? `${word}*` : all,
  )

/** What the line asks for, from the most certain to what leads on from any line. */
function findMeant(unread: Unread): Offers {
  const { known, tokens, meanings } = unread
  const [first] = meanings
  const noted = meanings.find(({ note }) => note !== undefined)
  const [{ text: word = '' } = {}] = tokens
  const isOurs =
    first?.at === 0 && first.count > 0 && first.note === undefined && known.has(word.toLowerCase())
  // A line that begins with one of our verbs means that one.
  const plain = isOurs ? [first] : meanings.filter(({ note }) => note === undefined)
  const lead = plain[0]?.verbs.flatMap((name) => findSubject(unread, name) ?? [])[0]
  const found = first && first === noted ? undefined : findLine(unread, plain)
  // Whoever wants a change isn't helped by a list, nor whoever wants a list by a form.
  const isMeant = found && !(lead && lead.mayChange !== found.verb.mayChange)
  // What a line leaves out may be what Signalman doesn't do.
  const isLeftOut = noted && found?.rest.some((token) => token === tokens[noted.at])
  if (isMeant && !(isLeftOut && !found.verb.mayChange))
    return {
      ...(isLeftOut && !isAboutLine(noted) && { note: noted.note }),
      line: found.line,
      leftOut: found.leftOut,
    }
  // Beside our own verb, a word for something else may be part of a value.
  if (noted && !(isOurs && lead?.mayChange && !noted.verbs.includes(lead.verb)))
    return findInstead(unread, noted)
  return leadOn(unread, lead)
}

/**
 * What a line asks for that names a person and a role, whatever its verb: `settings add approver @ann`. Beside an act on a health check,
 * people, or a free text, they're part of that.
 */
function findRole(
  meanings: readonly Meaning[],
  { tokens, findVerb }: Pick<Unread, 'tokens' | 'findVerb'>,
): readonly Meaning[] {
  const said = meanings.find(({ note }) => note === undefined)?.verbs.flatMap((verb) => findVerb(verb) ?? [])
  const isTheirs = said?.some(
    ({ mayChange, canOpenForm, parameters = [] }) =>
      (mayChange && !canOpenForm && takesName(parameters)) ||
      parameters.some(({ kind, isProse }) => kind === 'person' || isProse),
  )
  if (isTheirs || !tokens.some(isPerson) || !tokens.some(isRole)) return meanings
  const isRemoved = meanings.some(({ verbs }) => /delete|withdraw|revoke/.test(verbs.join()))
  const words = meanings.map(({ at, count }) => ({ at, count, verbs: [] }))
  return [{ at: 0, count: 0, verbs: [isRemoved ? '/hc revoke' : '/hc grant'] }, ...words]
}

/** A health check that the line names, or the help of the verb that it asks for. A change isn't meant by showing what it's about. */
function leadOn(unread: Unread, lead: Verb | undefined): Offers {
  if (lead?.mayChange) return { help: lead }
  const shown = unread.tokens.some(({ isName }) => isName) ? findLine(unread, []) : undefined
  if (shown) return { line: shown.line, leftOut: shown.leftOut }
  return lead ? { help: lead } : searchOrders(unread)
}

/** Where nothing says what is meant, it may be a part of an order's name, or all orders. A health check is searched by its name. */
function searchOrders(unread: Unread): Offers {
  const { known } = unread
  const list = known.get('list')
  if (!list || takesName(known.get('')?.parameters ?? [])) return {}
  const found = findLine(unread, [{ at: 0, count: 0, verbs: ['list'] }])
  const all = list.line
  return found ? { line: found.line, leftOut: found.leftOut, others: found.line === all ? [] : [all] } : {}
}

const hasOnlyOptions = ({ parameters = [] }: Verb): boolean => !parameters.some(({ required }) => required)

/** What leads on from what Signalman doesn't do. */
function findInstead(unread: Unread, meaning: Meaning): Offers {
  const { typed, findVerb, tokens, read } = unread
  const { note, verbs } = meaning
  const found = findLine({ ...unread, instead: meaning }, [meaning])
  if (found) return { note, line: found.line, ...(found.verb.mayChange && { leftOut: found.leftOut }) }
  const [first = ''] = verbs
  // Without the number or host that was typed, an act might find another thing to change.
  const names = tokens.some(({ text }) => /\d|\w\.\w/.test(text))
  const lines = verbs.map((name) =>
    name.startsWith('/') ? name : `${typed.split(' ', 1)[0]} ${name}`.trim(),
  )
  const alone = lines.find((line) => {
    const reading = read(line)
    return reading && hasOnlyOptions(reading.verb) && !(names && reading.isAct)
  })
  return alone === undefined ? { note, help: findVerb(first) } : { note, line: alone }
}

/** Finds the verbs that the first words mean, or a first one that is nearly a verb of ours, or a setting. */
function findVerbs(
  command: string,
  known: ReadonlyMap<string, Verb>,
  tokens: readonly Token[],
): readonly Meaning[] {
  const words = tokens.map((token) =>
    isWord(token) ? token.text.toLowerCase() : token.key && token.text === '' ? `--${token.key}` : '',
  )
  // A button's verb is typed at the beginning, if at all: `screenshot of ID`.
  const isVerb = (word: string): boolean =>
    known.has(word) && (known.get(word)?.hidden !== true || (word === words[0] && tokens.some(isEvent)))
  const meanings = findMeanings(command, words, isVerb)
  if (meanings.length > 0) return meanings
  const verbs = [...known.keys()].filter((verb) => verb !== '' && isVerb(verb))
  const [first = ''] = words
  if (first === 'every' || typedFlags(known.get('edit')?.flags).some(([flag]) => flag === findOurFlag(first)))
    return [{ at: 0, count: 0, verbs: [tokens.some(({ text }) => /\d|\//.test(text)) ? 'edit' : 'show'] }]
  const near = tokens[0] && isSmall(tokens[0]) ? undefined : closestWord(first, verbs, { lettersPerTypo: 4 })
  return near === undefined ? [] : [{ at: 0, count: 1, verbs: [near] }]
}

/** The line of the verb that leaves out the least. Without a verb, a health check is shown, or a list or the bare command takes the values. */
function findLine(unread: Unread, meanings: readonly Meaning[]): Candidate | undefined {
  const { tokens, checks } = unread
  const named = meanings.flatMap((said) =>
    said.verbs.flatMap((name) => {
      const verb = findSubject(unread, name)
      return verb && mayMean(unread, verb, said.at) ? { verb, said } : []
    }),
  )
  const name = tokens.find(({ isName }) => isName)?.text
  const other =
    name === undefined
      ? ['', 'list', 'queue', 'show', tokens.some(isPerson) ? 'audit' : 'history']
      : isWhole(checks, name)
        ? ['show', 'history', 'edit']
        : ['list']
  const unsaid = other.map((verb) => ({ verb: findSubject(unread, verb), said: undefined }))
  const found = (meanings.length > 0 ? named : unsaid).flatMap(({ verb, said }) => {
    // After a verb that takes only a name, a word for another verb is part of it.
    const taken = said && verb && changesByName(verb) ? [said] : meanings
    const isSaid = (index: number): boolean =>
      taken.some(({ at, count }) => index >= at && index < at + count)
    const left = tokens.map((token, index) => (isSaid(index) ? undefined : token))
    const line = buildLine(unread, verb, left, said && tokens[said.at]?.text)
    // A change that nobody asked for has to be all that was typed: `web every 60s`.
    const max = said === undefined && verb?.verb === 'edit' ? 0 : MAX_LEFT_OUT
    const isOther = said === undefined && line?.rest.some(({ isName }) => isName)
    // A health check that is shown in place of what Signalman doesn't do is all that can be.
    const isAll = unread.instead && name !== undefined && line !== undefined && !line.verb.mayChange
    const isShort = line && (isAll || countWords(line) <= max)
    return isShort && !isOther ? [line] : []
  })
  return findShortest(found)
}

/** The verb that is meant. Beside an address, it's about who gets emails. */
function findSubject({ findVerb, tokens }: Unread, name: string): Verb | undefined {
  const isNew = name === 'create' && tokens.some(isHost)
  const subject = SUBJECTS.find(({ verb, isMeant }) => verb === name && isMeant(tokens))
  const other = tokens.some(isAddress) && !isNew ? 'recipients' : (subject?.meant ?? name)
  return findVerb(other) ?? findVerb(name)
}

const has =
  (kind: Kind) =>
  (tokens: readonly Token[]): boolean =>
    findForm(tokens, { name: '', kind }) !== undefined

/** What a verb means beside some words. */
const SUBJECTS: readonly {
  readonly verb: string
  readonly isMeant: (tokens: readonly Token[]) => boolean
  readonly meant: string
}[] = [
  {
    verb: 'alerts',
    isMeant: (tokens) => tokens.some((token) => isChannel(token) || /^channel$/i.test(token.text)),
    meant: 'watch',
  },
  { verb: 'page', isMeant: has('duration'), meant: 'watch' },
  { verb: 'down', isMeant: has('period'), meant: 'history' },
  { verb: 'mute', isMeant: (tokens) => tokens.some(isStart), meant: 'maintenance' },
  { verb: 'export', isMeant: has('period'), meant: 'history' },
]

/** Whether a time is where something begins: `from 22:00`, or `22:00 until 23:30`. */
const isStart = (token: Token, at: number, tokens: readonly Token[]): boolean =>
  isMoment(token) &&
  (/^from$/i.test(tokens[at - 1]?.text ?? '') || /^until$/i.test(tokens[at + 1]?.text ?? ''))

/** Words that put something in a place: `add owner @ann to web` creates nothing. */
const PREPOSITION = /^(?:to|from|in|on|of|with|into|about)$/i

/** What changes something has to be asked for at the beginning and, if it creates something, clearly. */
function mayMean({ tokens, known, meanings }: Unread, verb: Verb, at: number): boolean {
  const isFirst = tokens
    .slice(0, at)
    .every((token) => isSmall(token) || token.isName || isHost(token) || /[\d*]/.test(token.text))
  if (!isFirst) return !verb.mayChange
  if (verb.verb !== 'create' || tokens.some(({ key }) => key !== undefined)) return true
  const rest = tokens.slice(at + 1)
  if (rest.some((token) => isPerson(token) || isChannel(token))) return false
  // `add https://web.example.com to web` is about one that exists.
  const isNew = rest.some(isHost) && !rest.some(({ isName }) => isName)
  // `new api key` asks for something else.
  const isOther = !known.has(tokens[at]?.text ?? '') && meanings.some(({ note }) => note !== undefined)
  return isNew || !(isOther || rest.some(({ text }) => PREPOSITION.test(text)))
}
