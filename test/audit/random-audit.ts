import { AUDIT_RETENTION_DAYS, type Durable, openDurable } from '@signalman/durable'
import { eraseWorkspaceLog } from '../../packages/durable/src/audit/erase-workspace.ts'
import { deleteLeftovers } from '../../packages/durable/src/audit/retention.ts'
import { recordRestore } from '../../packages/durable/src/backup/record-restore.ts'
import { MODEL } from '../../src/app/model.ts'
import { grantStore } from '../../src/bot/workspaces/grants.ts'
import { verifyAll } from '../../src/cli/audit-verify.ts'
import { createRandom, type Random } from '../random.ts'
import { createMemoryPlace } from './memory-place.ts'
import { readTables, type Tables, writeTables } from './tamperings.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PLACE = 'file:a'
const PEOPLE = ['U0ANN', 'U0BOB', 'U0CAT']
const WORKSPACES = ['T1', 'T1', 'T2', 'T3']

/** The tables at some point in time. */
export interface Copy {
  readonly tables: Tables
  readonly at: number
  /** How often the database had been restored. */
  readonly restores: number
}

/** A database in memory with audit logs and an anchor, for long random sequences of acts. */
export class RandomAudit implements AsyncDisposable {
  readonly seed: number
  readonly random: Random
  readonly records: string[] = []
  readonly copies: Copy[] = []
  now = Date.parse('2026-01-01T00:00:00.000Z')
  restores = 0
  private count = 0
  private readonly backups: Copy[] = []
  private readonly erasedAt = new Map<string, number>()
  private durable!: Durable

  private constructor(seed: number) {
    this.seed = seed
    this.random = createRandom(seed)
  }

  static async open(seed: number): Promise<RandomAudit> {
    const audit = new RandomAudit(seed)
    const now = () => new Date(audit.now)
    audit.durable = await openDurable({ model: MODEL, url: 'sqlite::memory:', now, clock: now })
    for (const workspaceId of ['T1', 'T2']) {
      await audit.append(workspaceId)
      await audit.decide(workspaceId)
      await audit.changeRole(workspaceId)
    }
    return audit
  }

  get workspace(): string {
    return this.random.oneOf(WORKSPACES)
  }
  readTables(): Promise<Tables> {
    return readTables(this.durable.database)
  }
  writeTables(tables: Tables): Promise<void> {
    return writeTables(this.durable.database, tables)
  }
  async copy(): Promise<Copy> {
    const { now: at, restores } = this
    return { tables: structuredClone(await this.readTables()), at, restores }
  }
  /** Keeps a copy of the tables every few acts, for tampering that brings one back. */
  async keepCopy(): Promise<void> {
    if (this.copies.length === 0 || this.random.below(4) === 0) this.copies.push(await this.copy())
  }

  /** Returns the output of `audit verify` with these records. `isPlace` if they are the whole place and not a copy. */
  async verify(records?: readonly string[], isPlace = false): Promise<string[]> {
    const lines: string[] = []
    const text = records?.join('\n')
    const anchor =
      text === undefined ? undefined : { path: 'the anchor', text, ...(isPlace && { place: PLACE }) }
    await verifyAll(this.durable, anchor, (line) => lines.push(line))
    return lines
  }

  private event(workspaceId: string, userId: string, verb: string) {
    this.count += 1
    const reference = `r${this.count}`
    return {
      ...{
        workspaceId,
        at: new Date(this.now),
        actor: { userId },
        verb,
        outcome: 'done' as const,
        reference,
      },
      object: `check ${this.count} of ${this.random.oneOf(PEOPLE)}`,
    }
  }
  async append(workspaceId = this.workspace, at = this.now): Promise<void> {
    const event = this.event(workspaceId, this.random.oneOf(PEOPLE), '/hc edit')
    await this.durable.audit.append({ ...event, at: new Date(at) })
  }
  async decide(workspaceId = this.workspace): Promise<void> {
    const { audit, settings } = this.durable
    const days = this.random.oneOf([0, 5, 30, 90, 365])
    await audit.decide(workspaceId, async (decisions) => ({
      outcome: await settings.decide(decisions, AUDIT_RETENTION_DAYS, () => days),
      auditEvent: this.event(workspaceId, this.random.oneOf(PEOPLE), '/hc access'),
    }))
  }
  async changeRole(workspaceId = this.workspace): Promise<void> {
    const { database, audit, proofs } = this.durable
    const grants = grantStore(database, audit, proofs, () => new Date(this.now))
    const subject = { kind: 'user', id: this.random.oneOf(PEOPLE) } as const
    if (this.random.below(3) === 0) await grants.remove(workspaceId, 'admin', subject)
    else await grants.add(workspaceId, 'admin', subject, 'U0ANN', new Date(this.now))
  }
  async retention(): Promise<void> {
    const { audit, settings } = this.durable
    for (const workspaceId of ['T1', 'T2', 'T3']) {
      const days = await settings.get(workspaceId, AUDIT_RETENTION_DAYS)
      const createEvent = () => this.event(workspaceId, 'system', 'audit.retention')
      if (days > 0) await audit.removeOlderThan(workspaceId, days, createEvent)
    }
  }
  /** Erases a person, and records that like the operator's command. */
  async erasePerson(): Promise<void> {
    const workspaceId = this.workspace
    const person = { userId: this.random.oneOf(PEOPLE), alsoKnownAs: [] }
    await this.durable.audit.erasePerson(workspaceId, person)
    await this.durable.audit.append(this.event(workspaceId, 'operator', 'person.erase'))
  }
  /** Erases a workspace. Sometimes the process dies before it has deleted all rows, the oldest of which go first. */
  async eraseWorkspace(): Promise<void> {
    const { database, audit } = this.durable
    const workspaceId = this.workspace
    const before = (await this.readTables()).audit_entry.filter((row) => row.workspace_id === workspaceId)
    await eraseWorkspaceLog(
      database,
      audit.chains,
      this.event(workspaceId, 'operator', 'workspace.erase'),
      {},
    )
    this.erasedAt.set(workspaceId, this.now)
    const left = before.slice(before.length - this.random.below(3))
    if (before.length > 3 && left.length > 0)
      await database.rows.insertInto('audit_entry').values(left).execute()
  }
  /** Deletes the rows that a killed process left behind, as the next removal does. */
  async deleteLeftovers(): Promise<void> {
    const { database, audit } = this.durable
    for (const { workspace_id } of (await this.readTables()).audit_chain)
      if (workspace_id !== '') await deleteLeftovers(database, audit.chains, workspace_id)
  }
  async backUp(): Promise<void> {
    this.backups.push(await this.copy())
  }
  /** Restores a backup, on a host whose clock may be wrong. The app's first start writes the anchor. */
  async restore(): Promise<void> {
    const backup = this.backups.at(-1 - this.random.below(3))
    if (!backup) return
    const { database, audit } = this.durable
    const erased = [...this.erasedAt].flatMap(([id, at]) => (at >= backup.at ? [id] : []))
    const keep = <Row extends { workspace_id: string }>(rows: readonly Row[]) =>
      rows.filter(({ workspace_id }) => !erased.includes(workspace_id))
    const { tables } = structuredClone(backup)
    await this.writeTables({ ...tables, setting: keep(tables.setting), role_grant: keep(tables.role_grant) })
    const now = new Date(this.now + this.random.oneOf([0, 0, -3 * HOUR_MS, 400 * DAY_MS, -400 * DAY_MS]))
    const header = { id: `backup ${backup.at}`, madeAt: new Date(backup.at).toISOString() }
    await database.rows
      .transaction()
      .execute((transaction) => recordRestore(transaction, audit.chains, erased, { header, now }))
    this.restores += 1
    if (this.random.below(2) === 0) await this.anchor()
  }
  async anchor(append = async (text: string) => void this.records.push(text)): Promise<void> {
    const place = { ...createMemoryPlace(this.records, PLACE), append }
    await this.durable.anchoring.anchor(place, new Date(this.now))
  }
  /** Anchors while the disk is full or the process is killed, after it has written a part of the record, all, or nothing. */
  async anchorInPart(): Promise<void> {
    const length = this.random.oneOf([0, 1, 40, 200, 100_000])
    const fails = async (text: string) => {
      if (length > 0) this.records.push(text.slice(0, length))
      throw new Error('ENOSPC')
    }
    await this.anchor(fails).catch((error: unknown) => {
      if (!String(error).includes('ENOSPC')) throw error
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.durable[Symbol.asyncDispose]()
  }
}

/** What people, operators, and the app itself do. Those that happen more often are here several times. */
export const HONEST_ACTS: Readonly<Record<string, (audit: RandomAudit) => Promise<void>>> = {
  row: (audit) => audit.append(),
  'another row': (audit) => audit.append(),
  'a third row': (audit) => audit.append(),
  'row of the future': (audit) => audit.append(audit.workspace, audit.now + 400 * DAY_MS),
  setting: (audit) => audit.decide(),
  role: (audit) => audit.changeRole(),
  'a month': async (audit) => {
    audit.now += audit.random.below(40) * DAY_MS
  },
  retention: (audit) => audit.retention(),
  'erase a person': (audit) => audit.erasePerson(),
  'erase a workspace': (audit) => audit.eraseWorkspace(),
  backup: (audit) => audit.backUp(),
  restore: (audit) => audit.restore(),
  anchor: (audit) => audit.anchor(),
  'anchor again': (audit) => audit.anchor(),
  'anchor in part': (audit) => audit.anchorInPart(),
}
