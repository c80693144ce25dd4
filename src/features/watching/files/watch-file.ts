import { TEXT_LIMITS, UserError } from '@signalman/runtime'
import { bareSpec, isOfMany, parseArguments } from '../../../bot/typed/command-line.ts'
import { entriesOf, type FieldTable } from '../../../bot/typed/fields.ts'
import { closestWord } from '../../../domain/mistyped-word.ts'
import type { Digest, DigestTerms, Watch, WatchPlace, WatchTerms } from '../rules/watch.ts'
import {
  parseWatch,
  placeValues,
  SUMMARY,
  TERMS,
  termsOf,
  valuesOf,
  WATCH,
  WATCH_FLAGS,
  type WatchValues,
} from '../watch-fields.ts'

const VERSION = 1

type Place = Pick<WatchPlace, 'channelId' | 'environment'>

/** A watch in a file. */
export interface FiledWatch extends Place {
  /** Of the watch that it is, or was. */
  id: string | undefined
  terms: WatchTerms
}

/** The daily summary of a channel; `off` ends it. */
export interface FiledDigest extends Place {
  terms: { hour: number; timeZone: string | undefined } | 'off'
}

export type FiledWatches = ReturnType<typeof readWatchFile>

/** What a key of an entry is called on a line. */
const FLAG_OF: ReadonlyMap<string, string> = new Map([
  ['id', WATCH.replace.flag],
  ['channel', WATCH.channel.flag],
  ['environment', WATCH.env.flag],
])
const keysOf = <Values>(fields: FieldTable<Values>, ...others: string[]): string[] => [
  ...others,
  'channel',
  'environment',
  ...entriesOf(fields).map(([, { flag }]) => flag),
]
const WATCH_KEYS = keysOf(TERMS, 'id')
const DIGEST_KEYS = keysOf(SUMMARY)

export function fileOf(watches: readonly Watch[], digests: readonly Digest[]): string {
  const placed = (place: Place) => {
    const { env, channel } = placeValues(place)
    return { channel, environment: env }
  }
  const file = {
    signalman: 'watches',
    version: VERSION,
    watches: watches.map((watch) => ({ id: watch.id, ...placed(watch), ...filed(valuesOf(watch)) })),
    digests: digests.map((digest) => ({ ...placed(digest), digest: digest.hour, zone: digest.timeZone })),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Lists as lists, numbers as numbers, everything else as it is typed. */
const filed = (values: WatchValues): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      // A value is of the field that wrote it.
      const field = WATCH[name as 'name']
      const written = Array.isArray(value) ? field.write(value) : value
      return [field.flag, isOfMany(field.spec) ? written.split('\n') : written]
    }),
  )

/** Reads a file. Throws UserError that names the first faulty entry: nothing in a file is passed over. */
export function readWatchFile(bytes: Buffer) {
  const file = keyed(parsed(bytes), ['signalman', 'version', 'watches', 'digests'], 'a file of watches')
  if (file.get('signalman') !== 'watches')
    throw new UserError('This is no file of watches. /hc watches --export makes one.')
  if (file.get('version') !== VERSION)
    throw new UserError(
      `This file has to say "version": ${VERSION}. /hc watches --export makes one that does.`,
    )
  const watches = entriesIn(file, 'watches')
  const digests = file.has('digests') ? entriesIn(file, 'digests') : undefined
  if (watches.length + (digests?.length ?? 0) > TEXT_LIMITS.watchFileEntries)
    throw new UserError(`A file of watches has ${TEXT_LIMITS.watchFileEntries} entries at most.`)
  const read = {
    watches: watches.map((entry, index) => named(`watches, entry ${index + 1}`, () => readWatch(entry))),
    /** Absent where the file says nothing of daily summaries. */
    digests: digests?.map((entry, index) => named(`digests, entry ${index + 1}`, () => readDigest(entry))),
  }
  refuseTwice(
    read.watches.map(({ id }) => id),
    'id',
  )
  refuseTwice(
    read.digests?.map(({ channelId, environment }) => `${channelId} ${environment}`) ?? [],
    'daily summary',
  )
  return read
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''))
  } catch {
    throw new UserError('This file is no JSON. /hc watches --export makes one that can be used as it is.')
  }
}

/** An object with these keys and no others. */
function keyed(value: unknown, known: readonly string[], what: string): Map<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UserError(`${what[0]?.toUpperCase()}${what.slice(1)} is written in braces: { … }.`)
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const close = closestWord(key, known)
    const hint = close ? `Did you mean “${close}”?` : `It takes ${known.join(', ')}.`
    throw new UserError(`“${key.slice(0, 40)}” is nothing that ${what} has. ${hint}`)
  }
  return new Map(Object.entries(value))
}

function entriesIn(file: ReadonlyMap<string, unknown>, name: string): unknown[] {
  const found = file.get(name)
  if (Array.isArray(found)) return found
  throw new UserError(`“${name}” has to be a list, and may be an empty one: "${name}": [ … ].`)
}

function refuseTwice(keys: readonly (string | undefined)[], what: string): void {
  const seen = new Set<string>()
  for (const key of keys) {
    if (key !== undefined && seen.has(key)) throw new UserError(`Two entries have the same ${what}: ${key}.`)
    if (key !== undefined) seen.add(key)
  }
}

/** The values of an entry, read as they are behind the flags of a line. */
function valuesIn(entry: unknown, known: readonly string[], what: string): WatchValues {
  const words = [...keyed(entry, known, what)].flatMap(([key, value]) =>
    textsOf(key, value).flatMap((text) => [
      { text: `--${FLAG_OF.get(key) ?? key}`, isQuoted: false },
      { text, isQuoted: true },
    ]),
  )
  return parseWatch(parseArguments(words, WATCH_FLAGS)).values
}

function textsOf(key: string, value: unknown): string[] {
  const texts: unknown[] = Array.isArray(value) ? value : [value]
  const isMany = isOfMany(bareSpec(WATCH_FLAGS[key] ?? 'value'))
  if (Array.isArray(value) && !isMany) throw new UserError(`“${key}” takes one value, not a list.`)
  return texts.map((text) => {
    if (typeof text === 'string' && text !== '' && text.length <= TEXT_LIMITS.watchFileLine) return text
    if (typeof text === 'number') return String(text)
    throw new UserError(`“${key}” takes ${isMany ? 'texts, or a list of them' : 'a text or a number'}.`)
  })
}

function placeIn({ channel, env = 'production' }: WatchValues): Place {
  if (channel === undefined)
    throw new UserError('“channel” is missing: the id of a channel, such as C0123456789.')
  return { channelId: channel, environment: env }
}

function readWatch(entry: unknown): FiledWatch {
  const values = valuesIn(entry, WATCH_KEYS, 'a watch')
  return { ...placeIn(values), id: values.replace, terms: termsOf(values) }
}

function readDigest(entry: unknown): FiledDigest {
  const values = valuesIn(entry, DIGEST_KEYS, 'a daily summary')
  const { digest, zone } = values
  if (digest === undefined)
    throw new UserError('“digest” is missing: the hour of the daily summary, or "off".')
  return { ...placeIn(values), terms: digest === 'off' ? digest : { hour: digest, timeZone: zone } }
}

function named<T>(where: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`In ${where}: ${error.message}`)
    throw error
  }
}

export const isSameDigest = (one: DigestTerms, other: FiledDigest['terms']): boolean =>
  other !== 'off' && one.hour === other.hour && one.timeZone === (other.timeZone ?? 'UTC')
