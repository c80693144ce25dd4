import { open } from 'node:fs/promises'
import type { WorkKey, WorkKind } from '@signalman/durable'
import { type Log, MINUTE_MS } from '@signalman/runtime'
import { message, paragraph, richText, type SlackClients, textElement } from '@signalman/slack'
import { type AnchorTarget, anchorName } from '../../domain/audit-anchor.ts'
import type { Stored } from '../stored.ts'

const ANCHOR: WorkKey = { workspaceId: '', kind: 'audit.anchor', key: 'all' }

export type ScheduledAnchoring = ReturnType<typeof createAnchoring>

/** How long shutdown waits for the target. */
const FINISH_TIMEOUT_MS = 5000

/**
 * Writes signed records of the audit logs' latest rows to a target outside the database. One process at a time does this for all.
 */
export function createAnchoring(deps: {
  store: Pick<Stored, 'anchoring' | 'work'>
  target: AnchorTarget
  writeRecord: WriteRecord
  now: () => Date
  log: Log
}) {
  const { store, target, writeRecord, now, log } = deps
  const { anchoring, work } = store

  const anchor = (): Promise<void> => anchoring.anchor(anchorName(target), now(), writeRecord)

  async function anchorOnce(): Promise<void> {
    const owner = 'shutdown'
    await work.schedule(ANCHOR)
    const claimed = await work.claim(ANCHOR, owner)
    // Another process is anchoring now, and will anchor the latest rows within a minute.
    if (!claimed) return
    try {
      await anchor()
    } finally {
      await work.release(claimed.id, owner, { state: 'waiting', dueInMs: MINUTE_MS, isSuccess: true })
    }
  }

  /** Anchors once a minute. */
  const kind: WorkKind = {
    kind: ANCHOR.kind,
    lane: 'maintenance',
    // Retried forever, because rows stay unanchored until it succeeds.
    maxAttempts: Number.POSITIVE_INFINITY,
    async run() {
      await anchor()
      return { state: 'waiting', dueInMs: MINUTE_MS, isSuccess: true }
    },
  }

  return {
    kind,
    /** Anchors the latest rows once more before the process stops. Gives up after `withinMs`. */
    async finish(withinMs = FINISH_TIMEOUT_MS): Promise<void> {
      const timeout = Promise.withResolvers<never>()
      const timer = setTimeout(() => timeout.reject(new Error('Timed out.')), withinMs)
      await Promise.race([anchorOnce(), timeout.promise])
        .catch((error: unknown) => log.warn({ err: error }, "Couldn't anchor the latest audit rows."))
        .finally(() => clearTimeout(timer))
    },
  }
}

export const scheduleAnchoring = (store: Pick<Stored, 'work'>): Promise<void> => store.work.ensure(ANCHOR, 0)

/** Writes a record to a place that can't be changed with access to the database alone. Throws if the write fails. */
type WriteRecord = (text: string) => Promise<void>

export function createWriteRecord(
  target: AnchorTarget,
  clients: Pick<SlackClients, 'forWorkspace'>,
): WriteRecord {
  if (target.kind === 'file') return (text) => appendLine(target.path, text)
  return async (text) => {
    const client = await clients.forWorkspace({ workspaceId: target.workspaceId ?? '' })
    await client.post({ channelId: target.channelId }, recordMessage(text))
  }
}

/** Appends a line, and returns when it is on disk. */
async function appendLine(path: string, text: string): Promise<void> {
  await using file = await open(path, 'a', 0o600)
  await file.write(`${text}\n`)
  await file.sync()
}

const INTRODUCTION =
  'The signed head of the audit log. Keep this message. To verify the log, copy it into a file and run “signalman audit verify --anchor FILE”.'

const recordMessage = (text: string) =>
  message(
    `${INTRODUCTION}\n${text}`,
    richText(paragraph(textElement(INTRODUCTION)), {
      type: 'rich_text_preformatted',
      elements: [{ type: 'text', text }],
    }),
  )
