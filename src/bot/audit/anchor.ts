import { createReadStream } from 'node:fs'
import { open as openFile, stat } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import type { AnchorPlace, WorkKey, WorkKind } from '@signalman/durable'
import { type Log, MINUTE_MS } from '@signalman/runtime'
import { message, paragraph, richText, type SlackClients, textElement } from '@signalman/slack'
import { type AnchorTarget, anchorName } from '../../domain/audit-anchor.ts'
import type { Stored } from '../stored.ts'

export const ANCHOR: WorkKey = { workspaceId: '', kind: 'audit.anchor', key: 'all' }

export type ScheduledAnchoring = ReturnType<typeof createAnchoring>

/** How long shutdown waits for the target. */
export const FINISH_TIMEOUT_MS = 5000

/**
 * Writes signed records of the audit logs' latest rows to a place outside the database. One process at a time does this for all.
 */
export function createAnchoring(deps: {
  store: Pick<Stored, 'anchoring' | 'work'>
  place: AnchorPlace
  now: () => Date
  log: Log
}) {
  const { store, place, now, log } = deps
  const { anchoring, work } = store

  const anchor = (): Promise<void> => anchoring.anchor(place, now())

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

  async function anchorWithin(ms: number): Promise<void> {
    const timeout = Promise.withResolvers<never>()
    const tookTooLong = `Anchoring in ${place.name} took longer than ${Math.ceil(ms / 1000)} s. The app tries again every minute while it runs. Check that the database answers, and that the place accepts writes.`
    const timer = setTimeout(() => timeout.reject(new Error(tookTooLong)), ms)
    await Promise.race([anchorOnce(), timeout.promise])
      .catch((error: unknown) => log.warn({ err: error }, "Couldn't anchor the latest audit rows."))
      .finally(() => clearTimeout(timer))
  }

  return {
    kind,
    /** Puts the place in use, and records a restore there before the app does anything that it would have to record after it. */
    async start(): Promise<void> {
      await anchoring.usePlace(place)
      const { owed } = await anchoring.readState()
      if (owed !== undefined) await anchorWithin(FINISH_TIMEOUT_MS)
    },
    /** Anchors the latest rows once more before the process stops. Gives up after `withinMs`. */
    finish: (withinMs = FINISH_TIMEOUT_MS): Promise<void> => anchorWithin(withinMs),
  }
}

export const scheduleAnchoring = (store: Pick<Stored, 'work'>): Promise<void> => store.work.ensure(ANCHOR, 0)

/** The place that AUDIT_ANCHOR names. */
export function createAnchorPlace(
  target: AnchorTarget,
  clients: Pick<SlackClients, 'forWorkspace'>,
): AnchorPlace {
  const name = anchorName(target)
  if (target.kind === 'file')
    return {
      name,
      readEnd: () => readFileEnd(target.path),
      append: (text) => appendLine(target.path, text),
    }
  return {
    name,
    // Reading a channel needs a scope that anchoring doesn't.
    readEnd: async () => undefined,
    async append(text) {
      const client = await clients.forWorkspace({ workspaceId: target.workspaceId ?? '' })
      await client.post({ channelId: target.channelId }, recordMessage(text))
    },
  }
}

/** Larger than the largest record. */
const END_BYTES = 65_536

/** The end of the file; '' if it doesn't exist yet. */
async function readFileEnd(path: string): Promise<string> {
  const size = await stat(path).then(
    (found) => found.size,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0
      throw error
    },
  )
  const range = { start: Math.max(0, size - END_BYTES), end: size - 1 }
  return size === 0 ? '' : await readText(createReadStream(path, range))
}

/** Appends a line, and returns when all of it is on disk. A record that was cut off before it stays on a line of its own. */
async function appendLine(path: string, text: string): Promise<void> {
  const end = await readFileEnd(path)
  await using file = await openFile(path, 'a', 0o600)
  // Unlike `write`, it continues after a partial write, so a full disk is an error.
  await file.writeFile(`${end === '' || end.endsWith('\n') ? '' : '\n'}${text}\n`)
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
