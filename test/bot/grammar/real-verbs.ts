import { UserError } from '@signalman/runtime'
import { loadAppRoutes } from '../../../docs/app-routes.ts'
import { readIfPossible, splitCommand } from '../../../src/bot/routes/lines.ts'
import type { Verbs } from '../../../src/bot/routes/read-line.ts'
import type { Verb } from '../../../src/bot/routes/routes.ts'
import { findMeant, skipPolite } from '../../../src/bot/unread/meant-line.ts'
import { readTyped, resolveTyped } from '../../../src/bot/unread/read-typed.ts'
import { parseDuration } from '../../../src/domain/dates/duration.ts'
import { parseMoment } from '../../../src/domain/dates/moment.ts'
import { toZoned } from '../../../src/domain/dates/zoned.ts'
import { type NamedCheck, prepareNames } from '../../../src/domain/known-names.ts'
import { splitWords } from '../../../src/domain/quoting.ts'
import { cleanTyped } from '../../../src/domain/typed-text/clean.ts'
import { formatMoment } from '../../domain/dates/format-moment.ts'

let loaded: Promise<Verbs & { readonly verbs: readonly Verb[] }> | undefined

export const loadVerbs = () => {
  loaded ??= loadAppRoutes().then(({ verbs }) => {
    const byCommand = Map.groupBy(verbs, ({ command }) => command)
    return {
      verbs,
      commands: () => [...byCommand.keys()],
      findVerbs: (command: string) => new Map(byCommand.get(command)?.map((verb) => [verb.verb, verb])),
    }
  })
  return loaded
}

export interface TypedLine {
  /** The verb and its values; undefined if the line is refused. Two lines that mean the same have the same. */
  readonly reading: string | undefined
  readonly isAct: boolean
  readonly message: string
  /** The name of a health check in it. */
  readonly check?: string | undefined
}

/** Reads a line as if a person had typed it. */
export async function readTypedLine(line: string): Promise<TypedLine> {
  const verbs = await loadVerbs()
  try {
    const { verb, isAct, args } = resolveTyped(verbs, splitCommand(line))
    const { values, lists, flags } = args
    const entries = Object.entries({ ...values, ...lists, ...flags }).toSorted(([left], [right]) =>
      left < right ? -1 : 1,
    )
    const reading = `${verb.line} ${JSON.stringify(entries.map(([key, value]) => [key, normalize(value)]))}`
    return { reading, isAct, message: '', check: values.check }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { reading: undefined, isAct: false, message: error.message }
  }
}

const TARGETS: Readonly<Record<string, string>> = {
  'Shop storefront': 'https://shop.example.com/health',
  'Media newsroom': 'newsroom.example.com',
}
/** The health checks in the tests of lines. */
export const CHECKS = [
  ...['checkout', 'Shop checkout', 'Shop storefront', 'Shop message queue', 'Media newsroom', 'Friday Deals'],
  ...['Bank online banking', 'Bank branch finder', 'Bank open API', 'Bank rates feed', 'Bank batch host'],
  ...['web', 'web api', 'blog', 'Outlet database, primary', 'Status page'],
].map((name) => ({ uuid: name, name, target: TARGETS[name] }))

/** The line that is meant by one that isn't read. */
export async function findMeantBy(typed: string, checks: readonly NamedCheck[] = CHECKS) {
  const verbs = await loadVerbs()
  const { command, text } = splitCommand(typed)
  const words = skipPolite(splitWords(cleanTyped(text)))
  const read = (line: string) => readIfPossible(verbs, line, readTyped)
  const names = await prepareNames(checks)
  return findMeant(verbs.findVerbs(command), words, { read, names })
}

const SOME_DAY = toZoned(new Date('2026-11-24T10:00:00Z'), 'UTC')

/** One spelling for times that are the same. */
function normalize(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const minutes = parseDuration(value)
  if (minutes !== undefined) return `${minutes} minutes`
  const moment = parseMoment(value, SOME_DAY)
  return moment === undefined || moment === 'now' ? value : formatMoment(moment)
}
