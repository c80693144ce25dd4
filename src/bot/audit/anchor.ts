import { open } from 'node:fs/promises'
import type { Scheduled, WorkKind } from '@signalman/durable'
import { type Log, MINUTE_MS } from '@signalman/runtime'
import { message, paragraph, richText, type SlackClients, words } from '@signalman/slack'
import { type AnchorTarget, anchorName } from '../../domain/audit-anchor.ts'
import type { Stored } from '../stored.ts'

const ANCHOR: Scheduled = { workspaceId: '', kind: 'audit.anchor', key: 'all' }

export type ScheduledAnchoring = ReturnType<typeof createAnchoring>

/** How long a stopping process waits for the target. */
const LAST_WITHIN_MS = 5000

/** Copies the signed ends of the audit log to a target outside of the database, on behalf of all processes. */
export function createAnchoring(parts: {
  store: Pick<Stored, 'anchoring' | 'work'>
  target: AnchorTarget
  put: PutRecord
  now: () => Date
  log: Log
}) {
  const { store, target, put, now, log } = parts
  const { anchoring, work } = store

  const anchor = (): Promise<void> => anchoring.anchor(anchorName(target), now(), put)

  async function last(): Promise<void> {
    const owner = 'the end'
    await work.schedule(ANCHOR)
    const claimed = await work.claim(ANCHOR, owner)
    // Another process is anchoring, and will do so again in a minute.
    if (!claimed) return
    try {
      await anchor()
    } finally {
      await work.release(claimed.id, owner, { state: 'waiting', dueInMs: MINUTE_MS, isAnew: true })
    }
  }

  /** Anchors once a minute. */
  const kind: WorkKind = {
    kind: ANCHOR.kind,
    lane: 'maintenance',
    // Never given up: until it succeeds, more and more rows are unanchored.
    mostAttempts: Number.POSITIVE_INFINITY,
    async run() {
      await anchor()
      return { state: 'waiting', dueInMs: MINUTE_MS, isAnew: true }
    },
  }

  return {
    kind,
    /** Anchors the latest rows once more before the process stops. Gives up after `withinMs`. */
    async finish(withinMs = LAST_WITHIN_MS): Promise<void> {
      const late = Promise.withResolvers<never>()
      const timer = setTimeout(() => late.reject(new Error('Timed out.')), withinMs)
      await Promise.race([last(), late.promise])
        .catch((error: unknown) => log.warn({ err: error }, 'The latest audit rows could not be anchored.'))
        .finally(() => clearTimeout(timer))
    },
  }
}

export const scheduleAnchoring = (store: Pick<Stored, 'work'>): Promise<void> => store.work.ensure(ANCHOR, 0)

/** Writes one record to a place that nobody with access to the database alone can change. Throws if that failed. */
type PutRecord = (text: string) => Promise<void>

export function createPutRecord(target: AnchorTarget, clients: Pick<SlackClients, 'of'>): PutRecord {
  if (target.kind === 'file') return (text) => append(target.path, text)
  return async (text) => {
    const client = await clients.of({ workspaceId: target.workspaceId ?? '' })
    await client.post({ channelId: target.channelId }, recordMessage(text))
  }
}

/** On disk before this returns. */
async function append(path: string, text: string): Promise<void> {
  await using file = await open(path, 'a', 0o600)
  await file.write(`${text}\n`)
  await file.sync()
}

const INTRODUCTION =
  'The signed end of the audit log. Keep this message. To verify the log, copy it into a file and run “signalman audit verify --anchor FILE”.'

const recordMessage = (text: string) =>
  message(
    `${INTRODUCTION}\n${text}`,
    richText(paragraph(words(INTRODUCTION)), {
      type: 'rich_text_preformatted',
      elements: [{ type: 'text', text }],
    }),
  )
