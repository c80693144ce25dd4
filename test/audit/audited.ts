import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type AnchorPlace, AUDIT_RETENTION_DAYS } from '@signalman/durable'
import type { Database } from '../../packages/durable/src/database/database.ts'
import { makeKeyText } from '../../packages/durable/src/secrets/keys.ts'
import { openStore, type Store } from '../../src/app/store.ts'
import { createAnchorPlace } from '../../src/bot/audit/anchor.ts'
import { applyRetention } from '../../src/bot/retention/audit-retention.ts'
import { verifyAll } from '../../src/cli/audit-verify.ts'
import { createLog } from '../../src/log.ts'
import { makeFolder, startSqliteFile, type TestDatabase } from '../databases/databases.ts'
import { backUp, openDatabase, restoreBackup, rotateKeys } from '../databases/open.ts'

const DAY_MS = 86_400_000
const STARTED_AT = Date.parse('2026-01-01T00:00:00.000Z')
const LOG = createLog('silent')
const ANN = 'U0ANN'

/** The files of a filled SQLite database, which the others of this process copy. */
let filled: ReturnType<AuditedDatabase['readFiles']> | undefined

async function readFilled() {
  await using original = await new AuditedDatabase(await startSqliteFile()).fillEmpty()
  return await original.readFiles()
}

/** A database with two audit logs that are anchored in a file. Has methods for the ordinary actions of operators and admins. */
export class AuditedDatabase implements AsyncDisposable {
  readonly folder = makeFolder()
  anchorPath = join(this.folder.path, 'anchor.txt')
  readonly backupPath = join(this.folder.path, 'first.backup')
  /** All keys that ever existed. To restore a backup, an operator needs them. */
  readonly allKeys: string[]
  keys: string
  now = STARTED_AT
  private store: Store | undefined
  private count = 0
  private readonly database: TestDatabase

  constructor(database: TestDatabase) {
    this.database = database
    this.keys = database.keys
    this.allKeys = database.keys.split(',')
    writeFileSync(this.anchorPath, '')
  }

  get url(): string {
    return this.database.url
  }

  async open(): Promise<Store> {
    const { url, keys } = this
    const now = () => new Date(this.now)
    this.store ??= await openStore({ url, keys, now, clock: now })
    return this.store
  }

  async close(): Promise<void> {
    await this.store?.[Symbol.asyncDispose]()
    this.store = undefined
  }

  openRaw(): Promise<Database> {
    return openDatabase(this.url)
  }

  async append(workspaceId: string, userId = ANN, at = this.now): Promise<void> {
    const { audit } = await this.open()
    this.count += 1
    await audit.append({
      workspaceId,
      at: new Date(at),
      actor: { userId },
      verb: '/hc edit',
      object: `check ${this.count}`,
      after: { by: userId },
      outcome: 'done',
      reference: `r${this.count}`,
    })
  }

  /** Sets the retention period like an admin. `object` is the object of the audit entry. */
  async setRetention(
    workspaceId: string,
    days: number,
    object = 'how long the audit log is kept',
  ): Promise<void> {
    const { audit, settings } = await this.open()
    await audit.decide(workspaceId, async (decisions) => ({
      outcome: await settings.decide(decisions, AUDIT_RETENTION_DAYS, () => days),
      auditEvent: {
        workspaceId,
        at: new Date(this.now),
        actor: { userId: ANN },
        verb: '/hc access',
        object,
        after: { days },
        outcome: 'done',
        reference: 'days',
      },
    }))
  }

  async retention(): Promise<void> {
    const store = await this.open()
    await applyRetention(store, LOG)
  }

  async anchor(): Promise<void> {
    const { anchoring } = await this.open()
    await anchoring.anchor(this.anchorPlace, new Date(this.now))
  }

  /** Anchors like in a channel, whose end the app doesn't read. */
  async anchorBlindly(): Promise<void> {
    const { anchoring } = await this.open()
    await anchoring.anchor({ ...this.anchorPlace, readEnd: async () => undefined }, new Date(this.now))
  }

  /** The place of `AUDIT_ANCHOR=file:PATH`. Its name has no folder, so that a copy of the database in another folder has it, too. */
  get anchorPlace(): AnchorPlace {
    const place = createAnchorPlace(
      { kind: 'file', path: this.anchorPath },
      { forWorkspace: () => Promise.reject(new Error('A file needs no Slack.')) },
    )
    return { ...place, name: `file:${basename(this.anchorPath)}` }
  }

  /**
   * Returns the output of `audit verify`: `alone` is without an anchor, `anchored` with the anchor file, and `copy` with a copy of it.
   */
  async verify(mode: 'alone' | 'anchored' | 'copy' = 'alone', text = readFileSync(this.anchorPath, 'utf8')) {
    const lines: string[] = []
    const anchor = { path: 'the anchor', text, ...(mode === 'anchored' && { place: this.anchorPlace.name }) }
    await verifyAll(await this.open(), mode === 'alone' ? undefined : anchor, (line) => lines.push(line))
    return lines
  }

  /** Adds T1 and T2 with settings, roles, and rows, makes a backup, and then adds more rows and the workspace T3. */
  async fill(): Promise<this> {
    if (!this.url.startsWith('sqlite:')) return await this.fillEmpty()
    filled ??= readFilled()
    const { now, count, database, files } = await filled
    writeFileSync(this.file, database, { mode: 0o600 })
    for (const [name, content] of files) writeFileSync(join(this.folder.path, name), content, { mode: 0o600 })
    this.now = now
    this.count = count
    return this
  }

  /** What `fill` leaves behind: the closed database, and the files next to it. */
  async readFiles() {
    await this.close()
    const { now, count, folder } = this
    const names = readdirSync(folder.path)
    const files = new Map(names.map((name) => [name, readFileSync(join(folder.path, name))]))
    return { now, count, database: readFileSync(this.file), files }
  }

  private get file(): string {
    return this.url.slice('sqlite:'.length)
  }

  async fillEmpty(): Promise<this> {
    for (const id of ['T1', 'T2']) {
      const { grants, installations } = await this.open()
      await this.install(id)
      await this.setRetention(id, 90)
      await grants.add(id, 'admin', { kind: 'user', id: ANN }, ANN, new Date(this.now))
      for (const userId of ['U0BOB', ANN, 'U0BOB', ANN]) await this.append(id, userId)
      expectStored(await installations.summary(id))
    }
    await this.anchor()
    await this.close()
    await backUp({ url: this.url, keys: this.keys, now: () => new Date(this.now) }, this.backupPath)
    this.now += 20 * DAY_MS
    for (const id of ['T1', 'T2', 'T3']) for (let i = 0; i < 3; i++) await this.append(id)
    await this.anchor()
    return this
  }

  async install(id: string): Promise<void> {
    const { installations } = await this.open()
    await installations.save(
      {
        id,
        kind: 'workspace',
        botToken: `xoxb-${id}-${this.now}`,
        installedBy: ANN,
      },
      {
        workspaceId: id,
        at: new Date(this.now),
        actor: { userId: ANN },
        verb: 'install',
        outcome: 'done',
        reference: 'install',
      },
    )
  }

  async restore(): Promise<void> {
    await this.close()
    // The current key comes first.
    const keys = [...new Set([...this.keys.split(','), ...this.allKeys])].join()
    await restoreBackup({
      url: this.url,
      keys,
      path: this.backupPath,
      isReplacing: true,
      now: () => new Date(this.now),
    })
    this.keys = keys
  }

  async rotate({ isDropping = true } = {}): Promise<void> {
    await this.close()
    const fresh = makeKeyText()
    this.allKeys.push(fresh)
    await rotateKeys({ url: this.url, keys: `${fresh},${this.keys}` })
    this.keys = isDropping ? fresh : `${fresh},${this.keys}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
    this.folder[Symbol.dispose]()
    await this.database[Symbol.asyncDispose]()
  }
}

function expectStored(found: unknown): void {
  if (found === undefined) throw new Error('Nothing was stored.')
}

/** Ordinary actions of admins and operators. After them, the log must still be intact. */
export const ORDINARY_ACTIONS: Readonly<Record<string, (world: AuditedDatabase) => Promise<void>>> = {
  async 'keep rows for a shorter time'(world) {
    await world.setRetention('T1', 30)
    await world.retention()
  },
  async 'keep rows for longer'(world) {
    await world.setRetention('T1', 365)
    await world.retention()
  },
  'keep rows for ever': (world) => world.setRetention('T1', 0),
  'change a setting in a channel of OTE': (world) =>
    world.setRetention('T1', 40, 'how long the audit log is kept (OTE)'),
  async 'add a row that is dated in the future'(world) {
    await world.append('T1', 'U0EVE', world.now + 400 * DAY_MS)
    await world.append('T1')
  },
  async 'erase the admin'(world) {
    const { audit } = await world.open()
    await audit.erasePerson('T1', { userId: ANN, alsoKnownAs: [] })
  },
  async 'erase the workspace'(world) {
    const { eraseWorkspace } = await world.open()
    await eraseWorkspace('T1', 'erase')
  },
  restore: (world) => world.restore(),
  async 'restore on another host, without the anchor file'(world) {
    writeFileSync(world.anchorPath, '')
    await world.restore()
    // The app's first start there.
    await world.anchor()
  },
  async 'restore on a host whose clock is 3 hours behind'(world) {
    world.now -= 3 * 3_600_000
    await world.restore()
  },
  async 'restore on a host whose clock is 400 days behind'(world) {
    world.now -= 400 * DAY_MS
    await world.restore()
  },
  async 'fill the disk while a record is written'(world) {
    await world.append('T1')
    const { anchoring } = await world.open()
    const append = async (text: string) => {
      appendFileSync(world.anchorPath, text.slice(0, text.length / 2))
      throw new Error('ENOSPC')
    }
    await anchoring.anchor({ ...world.anchorPlace, append }, new Date(world.now)).catch((error: unknown) => {
      if (!String(error).includes('ENOSPC')) throw error
    })
  },
  async reinstall(world) {
    const { forgetWorkspace, grants } = await world.open()
    await forgetWorkspace('T1')
    await world.install('T1')
    await grants.remove('T1', 'admin', { kind: 'user', id: ANN })
    await grants.add('T1', 'admin', { kind: 'user', id: ANN }, ANN, new Date(world.now))
  },
  'rotate the keys': (world) => world.rotate({ isDropping: false }),
  'rotate and drop the keys': (world) => world.rotate(),
}

/** Lets time pass, performs the action, and lets the app add and anchor more rows. */
export async function performAction(world: AuditedDatabase, name: string, isAnchored = true): Promise<void> {
  world.now += 25 * DAY_MS
  await ORDINARY_ACTIONS[name]?.(world)
  if (!isAnchored) return
  await world.append('T1')
  await world.anchor()
}
