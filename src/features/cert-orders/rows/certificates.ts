import {
  type Database,
  type DatabaseTime,
  isDecrypted,
  type Rows,
  type Sealer,
  saveSealed,
  schedule,
  sealedRows,
  selectRows,
  splitChunks,
  unschedule,
  updateRows,
} from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { sql } from 'kysely'
import type { Environment } from '../../../domain/environment.ts'
import { type Certificate, type CertificateContent, toReminded } from '../rules/certificate/certificate.ts'
import { findNextReminder, replaces } from '../rules/certificate/reminders.ts'
import { createNameDigests, MAX_NAMES } from './name-digests.ts'
import { SEARCH_BATCH, searchBatches } from './search-batches.ts'
import { CERTIFICATE, CERTIFICATE_TABLE, type CertificateRow } from './tables.ts'

/** The durable work that reminds people of one certificate, keyed by its ID. */
export const CERTIFICATE_WORK = 'certificate.due'

export type Certificates = ReturnType<typeof createCertificates>
export type NewCertificate = Omit<Certificate, 'id' | 'version' | 'recordedAt' | 'ended'>

const sealedCertificates = sealedRows(CERTIFICATE_TABLE, {
  toPlain(row: CertificateRow) {
    const { sealedContent: _, ...plain } = CERTIFICATE.parse(row)
    return plain
  },
  // Cast, because only this file writes it.
  parseContent: (text) => ({ content: JSON.parse(text) as CertificateContent }),
})

interface Place {
  workspaceId: string
  environment: Environment
}

const toColumns = ({ workspaceId, environment }: Place) => ({ workspace_id: workspaceId, environment })

const MAX_FOR_KEY = 20
const MAX_SAME_BEGINNING = 10

/** Certificates for this key that aren't attached to an order, the last recorded ones first. */
export const keyQuery = (rows: Rows, place: Place, keyHash: string) =>
  selectRows(rows, 'certificate', { ...toColumns(place), key_hash: keyHash })
    .where('order_id', 'is', null)
    .orderBy('recorded_at', 'desc')
    .orderBy('id')
    .limit(MAX_FOR_KEY)

const serviceIdQuery = (rows: Rows, place: Place, serviceId: string) =>
  selectRows(rows, 'certificate', toColumns(place))
    .where(sql<boolean>`substr(service_id, 1, 100) = substr(cast(${serviceId} as text), 1, 100)`)
    .where('service_id', '=', serviceId)

/** Certificates that end from one date until another, if there is one. */
type Ends = Place & { from: Date; until?: Date | undefined }
type EndQuery = Ends & { limit: number; offset?: number }

const selectByEnd = (rows: Rows, { from, until, ...place }: Ends) => {
  const query = selectRows(rows, 'certificate', toColumns(place)).where('not_after', '>=', from.toISOString())
  return until ? query.where('not_after', '<=', until.toISOString()) : query
}

const endQuery = (rows: Rows, { limit, offset = 0, ...ends }: EndQuery): Promise<CertificateRow[]> =>
  selectByEnd(rows, ends).orderBy('not_after').orderBy('id').limit(limit).offset(offset).execute()

/** Certificates that nobody ended, with one of these names. Their digests are those of one environment. */
export const currentQuery = (rows: Rows, workspaceId: string, nameDigests: readonly string[]) =>
  rows
    .selectFrom('certificate')
    .selectAll()
    .where('ended', 'is', null)
    .where('id', 'in', (query) =>
      query
        .selectFrom('certificate_name')
        .select('certificate_id')
        .where('workspace_id', '=', workspaceId)
        .where('name', 'in', nameDigests),
    )

/** The rows of `certificate`. Throws SealError if one can't be decrypted; lists leave it out. */
export function createCertificates(database: Database, time: DatabaseTime, keys: Sealer) {
  const { rows, reading } = database
  const { createDigests } = createNameDigests(database, keys)

  const readOne = (found: CertificateRow | undefined): Promise<Certificate | undefined> =>
    sealedCertificates.readOne(keys, found)
  const readAll = async (found: CertificateRow[]): Promise<Certificate[]> =>
    (await sealedCertificates.readAll(keys, found)).filter(isDecrypted)

  /** Ends the reminders of every certificate that this one replaces, or its own if one replaces it. */
  async function endReplaced(
    transaction: Rows,
    sealer: Sealer,
    added: Certificate,
    nameDigests: readonly string[],
  ): Promise<void> {
    let isReplaced = false
    for (const names of splitChunks(nameDigests, MAX_NAMES)) {
      const found = await currentQuery(transaction, added.workspaceId, names).execute()
      const opened = await sealedCertificates.readAll(keys, found)
      for (const certificate of opened.filter(isDecrypted)) {
        if (replaces(toReplaceable(added), toReplaceable(certificate)))
          await write(transaction, sealer, { ...certificate, ended: 'replaced' })
        isReplaced ||= replaces(toReplaceable(certificate), toReplaceable(added))
      }
    }
    if (isReplaced) await write(transaction, sealer, { ...added, ended: 'replaced' })
  }

  /** Ends the reminders of the certificate that the order of this one renews or reissues. */
  async function endRenewed(transaction: Rows, sealer: Sealer, attached: Certificate): Promise<void> {
    const order =
      attached.orderId === undefined
        ? undefined
        : await selectRows(transaction, 'cert_order', { id: attached.orderId }).executeTakeFirst()
    if (order?.renews_id == null) return
    const found = await serviceIdQuery(transaction, attached, order.renews_id)
      .where('ended', 'is', null)
      .where('id', '!=', attached.id)
      .execute()
    for (const certificate of (await sealedCertificates.readAll(keys, found)).filter(isDecrypted))
      if (replaces(toReplaceable(attached), toReplaceable(certificate), true))
        await write(transaction, sealer, { ...certificate, ended: 'replaced' })
  }

  /** Stores a change if nobody else has made one since, and schedules the next reminder. */
  async function write(transaction: Rows, sealer: Sealer, next: Certificate): Promise<boolean> {
    const { id, workspaceId, version } = next
    const saved = { ...next, version: version + 1 }
    const { id: _, workspace_id: __, ...changed } = toRow(saved, sealer)
    if ((await updateRows(transaction, 'certificate', { id, version }, changed)) === 0) return false
    await scheduleReminder(transaction, { ...saved, workspaceId })
    return true
  }

  /** Stores what a second recording says and the first one didn't. */
  async function complete(
    transaction: Rows,
    sealer: Sealer,
    stored: Certificate,
    { orderId, ownerId, serviceId }: NewCertificate,
  ): Promise<Certificate> {
    const attaches = stored.orderId === undefined && orderId !== undefined
    const completed = {
      ...stored,
      ...(attaches && { orderId, ownerId }),
      serviceId: stored.serviceId ?? serviceId,
    }
    if (!attaches && completed.serviceId === stored.serviceId) return stored
    if (!(await write(transaction, sealer, completed))) return stored
    if (attaches) await endRenewed(transaction, sealer, completed)
    return { ...completed, version: stored.version + 1 }
  }

  async function scheduleReminder(transaction: Rows, certificate: Certificate): Promise<void> {
    const { id, workspaceId } = certificate
    const work = { workspaceId, kind: CERTIFICATE_WORK, key: id }
    const next = findNextReminder(toReminded(certificate))
    if (next) await schedule(transaction, time, work, next)
    else await unschedule(transaction, work)
  }

  return {
    async get(id: string): Promise<Certificate | undefined> {
      return readOne(await selectRows(rows, 'certificate', { id }).executeTakeFirst())
    },

    /**
     * The certificate whose fingerprint begins with this text: the one in this environment, or else in the other one. Undefined if
     * there is none, or several.
     */
    async find({ workspaceId, environment }: Place, fingerprint: string): Promise<Certificate | undefined> {
      if (!/^[0-9a-f]{8,64}$/.test(fingerprint)) return undefined
      const found = await selectRows(rows, 'certificate', { workspace_id: workspaceId })
        .where('sha256', 'like', `${fingerprint}%`)
        .limit(MAX_SAME_BEGINNING)
        .execute()
      const here = found.filter((row) => row.environment === environment)
      const [first, ...others] = here.length > 0 ? here : found
      return others.length === 0 ? readOne(first) : undefined
    },

    /** The certificate with this ID at the service. */
    async findByServiceId(place: Place, serviceId: string): Promise<Certificate | undefined> {
      const found = await serviceIdQuery(rows, place, serviceId)
        .orderBy('not_after', 'desc')
        .limit(1)
        .executeTakeFirst()
      return readOne(found)
    },

    async listForOrders(orderIds: readonly string[]): Promise<Certificate[]> {
      if (orderIds.length === 0) return []
      return readAll(
        await rows.selectFrom('certificate').selectAll().where('order_id', 'in', orderIds).execute(),
      )
    },

    /** Certificates for this key that aren't attached to an order, the last recorded ones first. */
    async listForKey(place: Place, keyHash: string): Promise<Certificate[]> {
      return readAll(await keyQuery(rows, place, keyHash).execute())
    },

    /** Certificates that end at this time or later, soonest first. Leaves out those that can't be decrypted. */
    listByEnd: async (query: EndQuery): Promise<Certificate[]> => readAll(await endQuery(reading, query)),

    /** The same, and how many of them can't be decrypted. */
    async pageByEnd(query: EndQuery) {
      const found = await endQuery(reading, query)
      const certificates = await readAll(found)
      return { certificates, undecryptableCount: found.length - certificates.length }
    },

    /** Searches those that end first, whose names are encrypted; by default, only so many that a person can wait for it. */
    searchByEnd: (ends: Ends, matches: (certificate: Certificate) => boolean, max?: number) =>
      searchBatches(
        async (offset) =>
          sealedCertificates.readAll(keys, await endQuery(reading, { ...ends, limit: SEARCH_BATCH, offset })),
        matches,
        max,
      ),

    async countByEnd(ends: Ends): Promise<number> {
      const total = await selectByEnd(reading, ends)
        .clearSelect()
        .select(({ fn }) => fn.countAll().as('total'))
        .executeTakeFirstOrThrow()
      return Number(total.total)
    },

    /** A person's certificates that are still current. */
    async listOwned(workspaceId: string, ownerId: string): Promise<Certificate[]> {
      const owned: Certificate[] = []
      for (let offset = 0; ; offset += SEARCH_BATCH) {
        const found = await selectRows(reading, 'certificate', {
          workspace_id: workspaceId,
          owner_id: ownerId,
        })
          .where('ended', 'is', null)
          .orderBy('not_after')
          .orderBy('id')
          .limit(SEARCH_BATCH)
          .offset(offset)
          .execute()
        owned.push(...(await readAll(found)))
        if (found.length < SEARCH_BATCH) return owned
      }
    },

    /** How many received orders since a date have no recorded certificate. */
    async countOrdersWithout({ since, ...place }: Place & { since: Date }): Promise<number> {
      const { total } = await reading
        .selectFrom('cert_order')
        .select(({ fn }) => fn.countAll().as('total'))
        .where((row) => row.and({ ...toColumns(place), state: 'received' }))
        .where('received_at', '>=', since.toISOString())
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('certificate').select('id').whereRef('certificate.order_id', '=', 'cert_order.id'),
            ),
          ),
        )
        .executeTakeFirstOrThrow()
      return Number(total)
    },

    /**
     * Stores a certificate once, ends the reminders of those that it replaces, and schedules its own. If it was recorded before, adds
     * only the order and the ID at the service that the stored one doesn't have yet.
     */
    async add(certificate: NewCertificate, now: Date): Promise<{ certificate: Certificate; isNew: boolean }> {
      const { workspaceId, environment, sha256, content } = certificate
      const digests = await createDigests(workspaceId, environment, content.names)
      const names = digests.map(({ name }) => name)
      return saveSealed(database, keys, workspaceId, async (transaction, sealer) => {
        const stored = await selectRows(transaction, 'certificate', {
          ...toColumns(certificate),
          sha256,
        }).executeTakeFirst()
        const existing = await sealedCertificates.readOne(keys, stored)
        if (existing)
          return { certificate: await complete(transaction, sealer, existing, certificate), isNew: false }
        const added: Certificate = { ...certificate, id: newId(), version: 1, recordedAt: now }
        await transaction.insertInto('certificate').values(toRow(added, sealer)).execute()
        await scheduleReminder(transaction, added)
        await endReplaced(transaction, sealer, added, names)
        await endRenewed(transaction, sealer, added)
        const nameRows = names.map((name) => ({ certificate_id: added.id, workspace_id: workspaceId, name }))
        for (const values of splitChunks(nameRows, MAX_NAMES))
          await transaction.insertInto('certificate_name').values(values).execute()
        const latest = await selectRows(transaction, 'certificate', { id: added.id }).executeTakeFirst()
        return {
          certificate: (await sealedCertificates.readOne(keys, latest)) ?? added,
          isNew: true,
        }
      })
    },

    /** Stores a change. Returns false and writes nothing if somebody changed the certificate after `next.version`. */
    update: (next: Certificate): Promise<boolean> =>
      saveSealed(database, keys, next.workspaceId, (transaction, sealer) => write(transaction, sealer, next)),

    /** Stores for which order a certificate was issued, and ends the reminders of the one that this order renews. */
    attach: (next: Certificate): Promise<boolean> =>
      saveSealed(database, keys, next.workspaceId, async (transaction, sealer) => {
        const isStored = await write(transaction, sealer, next)
        if (isStored) await endRenewed(transaction, sealer, next)
        return isStored
      }),
  }
}

const toReplaceable = ({ notAfter, content: { names } }: Certificate) => ({ notAfter, names })

const toRow = (certificate: Certificate, sealer: Sealer): CertificateRow =>
  CERTIFICATE.toRow({
    ...certificate,
    sealedContent: sealedCertificates.seal(
      certificate.content,
      [certificate.workspaceId, certificate.id],
      sealer,
    ),
  })
