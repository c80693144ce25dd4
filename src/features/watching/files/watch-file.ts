import { TEXT_LIMITS, UserError } from '@signalman/runtime'
import { parseArguments, wordsOf } from '../../../bot/typed/command-line.ts'
import type { Environment } from '../../../domain/environment.ts'
import { digestWords, parseWatch, type TypedDigest, WATCH_FLAGS, watchLine } from '../parse/watch-line.ts'
import type { Digest, Watch, WatchTerms } from '../rules/watch.ts'

/** Watches as a file: the line that makes each watch, with its channel. */
export interface WatchFile {
  signalman: 'watches'
  watches: readonly { channel: string; environment: Environment; watch: string }[]
  digests: readonly { channel: string; environment: Environment; digest: string }[]
}

/** A watch in a file. */
export interface FiledWatch {
  channelId: string
  environment: Environment
  terms: WatchTerms
}

export interface FiledDigest {
  channelId: string
  environment: Environment
  digest: Exclude<TypedDigest, 'off'>
}

export interface FiledWatches {
  watches: FiledWatch[]
  digests: FiledDigest[]
}

const CHANNEL = /^[CGD][A-Z0-9]{2,20}$/

export function fileOf(watches: readonly Watch[], digests: readonly Digest[]): WatchFile {
  return {
    signalman: 'watches',
    watches: watches.map(({ channelId, environment, ...terms }) => ({
      channel: channelId,
      environment,
      watch: watchLine(terms).replace(/^\/hc watch ?/, ''),
    })),
    digests: digests.map(({ channelId, environment, hour, timeZone }) => ({
      channel: channelId,
      environment,
      digest: digestWords({ hour, timeZone }).trim(),
    })),
  }
}

/** Reads a file. Throws UserError that names the first faulty entry. */
export function readWatchFile(bytes: Buffer): FiledWatches {
  const file = parsed(bytes)
  const list = (name: string): unknown[] => {
    const found = field(file, name)
    return Array.isArray(found) ? found : []
  }
  const watches = list('watches')
  const digests = list('digests')
  if (field(file, 'signalman') !== 'watches')
    throw new UserError('This is no file of watches. /hc watches --export makes one.')
  if (watches.length + digests.length > TEXT_LIMITS.watchFileEntries)
    throw new UserError(`A file of watches has ${TEXT_LIMITS.watchFileEntries} entries at most.`)
  return {
    watches: watches.map((entry, index) => named(`watches, entry ${index + 1}`, () => readWatch(entry))),
    digests: digests.map((entry, index) =>
      named(`digests, entry ${index + 1}`, () => readDigestEntry(entry)),
    ),
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new UserError('This file is no JSON. /hc watches --export makes one that can be used as it is.')
  }
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}

function readPlace(entry: unknown): { channelId: string; environment: Environment } {
  const channelId = field(entry, 'channel')
  const environment = field(entry, 'environment') ?? 'production'
  if (typeof channelId !== 'string' || !CHANNEL.test(channelId))
    throw new UserError('“channel” has to be the id of a channel, such as C0123456789.')
  if (environment !== 'production' && environment !== 'ote')
    throw new UserError('“environment” is production or ote.')
  return { channelId, environment }
}

const readLine = (entry: unknown, name: string) => {
  const line = field(entry, name)
  if (typeof line !== 'string' || line.length > TEXT_LIMITS.watchFileLine)
    throw new UserError(`“${name}” has to be what is typed behind /hc watch.`)
  return parseWatch(parseArguments(wordsOf(line), WATCH_FLAGS))
}

function readWatch(entry: unknown): FiledWatch {
  const { terms, named: words } = readLine(entry, 'watch')
  if (words) throw new UserError(`“${words.join(' ')}” stands alone: write --name for a name, or --uuid.`)
  return { ...readPlace(entry), terms }
}

function readDigestEntry(entry: unknown): FiledDigest {
  const { digest } = readLine(entry, 'digest')
  if (digest === undefined || digest === 'off')
    throw new UserError('“digest” looks like --digest 9 --zone Europe/Paris.')
  return { ...readPlace(entry), digest }
}

function named<T>(where: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`In ${where}: ${error.message}`)
    throw error
  }
}
