import { randomUUID } from 'node:crypto'
import type { Database } from './database.ts'
import { HttpError } from './http-error.ts'
import type { TargetName } from './seed/lab.ts'

export const STATUSES = ['INSTALLING', 'HEALTHY', 'UNHEALTHY'] as const
export const PROTOCOLS = ['TCP', 'HTTP', 'HTTPS'] as const
export type Status = (typeof STATUSES)[number]
export type Protocol = (typeof PROTOCOLS)[number]

/**
 * The fields that a client can set. `http_server_address` and `verify_ssl` are null if the protocol doesn't use them or the client
 * omitted them.
 */
export interface HealthCheckSettings {
  name: string
  customer_id: number
  protocol: Protocol
  target: string
  port: number
  frequency: number
  http_server_address: string | null
  verify_ssl: boolean | null
}

/**
 * `scheduled` is 1 if the sandbox runs the check. `lab` is the local server that an example check watches in place of its port.
 */
export interface HealthCheckRow extends Omit<HealthCheckSettings, 'verify_ssl'> {
  uuid: string
  status: Status
  verify_ssl: 0 | 1 | null
  created_at: string
  created_by: string
  modified_at: string
  modified_by: string
  scheduled: 0 | 1
  lab: TargetName | null
}

export interface NewHealthCheck extends HealthCheckSettings {
  uuid?: string
  status?: Status
  scheduled?: boolean
  /** `USER` by default. */
  createdBy?: string
  /** The local server that this example check watches. */
  lab?: TargetName
}

/** The user that all tokens belong to. */
export const USER = 'sandbox-user'

export const COLUMNS = `uuid, name, status, customer_id, protocol, target, port, frequency, http_server_address, verify_ssl,
  created_at, created_by, modified_at, modified_by, scheduled, lab`

const INSERT = `INSERT INTO health_check (environment, uuid, name, name_key, status, customer_id, protocol, target, target_key,
  port, frequency, http_server_address, verify_ssl, created_at, created_by, modified_at, modified_by, scheduled, lab)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

export type HealthCheckStore = ReturnType<typeof createHealthCheckStore>

function toFlag(value: boolean | null): 0 | 1 | null {
  if (value === null) return null
  return value ? 1 : 0
}

/** Names and targets are compared in this form, which ignores case. */
export const toComparable = (text: string): string => text.toLowerCase()

/** Returns the check's uuid. */
function insertRow(db: Database, environment: string, check: NewHealthCheck, now: Date): string {
  const uuid = check.uuid ?? randomUUID()
  const timestamp = now.toISOString()
  const createdBy = check.createdBy ?? USER
  db.run(INSERT, [
    environment,
    uuid,
    check.name,
    toComparable(check.name),
    check.status ?? 'INSTALLING',
    check.customer_id,
    check.protocol,
    check.target,
    toComparable(check.target),
    check.port,
    check.frequency,
    check.http_server_address,
    toFlag(check.verify_ssl),
    timestamp,
    createdBy,
    timestamp,
    createdBy,
    toFlag(check.scheduled ?? true),
    check.lab ?? null,
  ])
  return uuid
}

/** Replaces all settings, and schedules the check. */
function replaceRow(
  db: Database,
  environment: string,
  uuid: string,
  check: HealthCheckSettings,
  now: Date,
): void {
  db.run(
    `UPDATE health_check SET name = ?, name_key = ?, customer_id = ?, protocol = ?, target = ?, target_key = ?, port = ?,
       frequency = ?, http_server_address = ?, verify_ssl = ?, modified_at = ?, modified_by = ?,
       scheduled = 1, lab = CASE WHEN port = ? AND target = ? AND protocol = ? THEN lab END
     WHERE environment = ? AND uuid = ?`,
    [
      check.name,
      toComparable(check.name),
      check.customer_id,
      check.protocol,
      check.target,
      toComparable(check.target),
      check.port,
      check.frequency,
      check.http_server_address,
      toFlag(check.verify_ssl),
      now.toISOString(),
      USER,
      check.port,
      check.target,
      check.protocol,
      environment,
      uuid,
    ],
  )
}

function createCountQueries(db: Database, environment: string) {
  return {
    /** How many checks have been added in bulk: the highest number in their names. */
    bulkCount(): number {
      const last = db.get<{ name: string }>(
        `SELECT name FROM health_check WHERE environment = ? AND name_key >= 'bulk-' AND name_key < 'bulk.' AND scheduled = 0
         ORDER BY name_key DESC LIMIT 1`,
        [environment],
      )
      return Number(/^bulk-(\d+)$/.exec(last?.name ?? '')?.[1] ?? 0)
    },
    count(): number {
      return (
        db.get<{ n: number }>('SELECT count(*) AS n FROM health_check WHERE environment = ?', [environment])
          ?.n ?? 0
      )
    },
  }
}

/**
 * Stores the health checks of one environment. `create` and `replace` throw a 409 if the customer already has a check with the same
 * name, ignoring case.
 */
export function createHealthCheckStore(db: Database, environment: string) {
  const find = (uuid: string): HealthCheckRow | undefined =>
    db.get(`SELECT ${COLUMNS} FROM health_check WHERE environment = ? AND uuid = ?`, [
      environment,
      uuid.toLowerCase(),
    ])

  const findOrThrow = (uuid: string): HealthCheckRow => {
    const row = find(uuid)
    if (!row) throw new HttpError(404, `There is no health check ${uuid}.`)
    return row
  }

  const throwIfDuplicate = ({ name, customer_id }: HealthCheckSettings, ownUuid = ''): void => {
    const duplicate = db.get(
      'SELECT uuid FROM health_check WHERE environment = ? AND customer_id = ? AND name_key = ? AND uuid <> ?',
      [environment, customer_id, toComparable(name), ownUuid],
    )
    if (duplicate)
      throw new HttpError(
        409,
        `Customer ${customer_id} already has a health check with this name; choose another name.`,
      )
  }

  return {
    ...createCountQueries(db, environment),
    /** The checks that the sandbox runs. */
    listScheduled: (): HealthCheckRow[] =>
      db.all(`SELECT ${COLUMNS} FROM health_check WHERE environment = ? AND scheduled = 1`, [environment]),
    find,
    /** Returns the check, or throws a 404. */
    findOrThrow,
    insert: (check: NewHealthCheck, now: Date): string => insertRow(db, environment, check, now),
    create(check: HealthCheckSettings, now: Date): HealthCheckRow {
      throwIfDuplicate(check)
      const uuid = insertRow(db, environment, check, now)
      return findOrThrow(uuid)
    },
    /** Replaces all settings of the check. */
    replace(uuid: string, check: HealthCheckSettings, now: Date): HealthCheckRow {
      const { uuid: id } = findOrThrow(uuid)
      throwIfDuplicate(check, id)
      replaceRow(db, environment, id, check, now)
      return findOrThrow(id)
    },
    /** Deletes the check together with its alerts. */
    remove(uuid: string): HealthCheckRow {
      const row = findOrThrow(uuid)
      db.run('DELETE FROM health_check WHERE environment = ? AND uuid = ?', [environment, row.uuid])
      return row
    },
    /** Sets a status that stays until the check is updated, because the sandbox doesn't run it until then. */
    setManually(uuid: string, status: Status): void {
      db.run('UPDATE health_check SET status = ?, scheduled = 0 WHERE environment = ? AND uuid = ?', [
        status,
        environment,
        uuid,
      ])
    },
    setStatus(uuid: string, status: Status): void {
      db.run('UPDATE health_check SET status = ? WHERE environment = ? AND uuid = ?', [
        status,
        environment,
        uuid,
      ])
    },
  }
}
