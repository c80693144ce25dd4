import { ApiError } from '../../../../src/service/errors.ts'
import type { HealthCheck, HealthCheckBody, HealthCheckQuery } from '../../../../src/service/health-checks.ts'
import { type Api, accountFromToken } from '../../../../src/service/service.ts'

/**
 * Ways in which a listing may show server addresses and `verify_ssl`, which the API doesn't specify:
 * - `set-only`: addresses that someone set, but not the ones that the service resolved
 * - `none`: neither addresses nor `verify_ssl`
 * - `all`: set and resolved addresses
 * - `ssl-only`: `verify_ssl`, but no addresses
 * - `outdated`: as in `set-only`, but the next two reads after a write don't show it yet
 */
export const LISTING_KINDS = ['set-only', 'none', 'all', 'ssl-only', 'outdated'] as const
export type ListingKind = (typeof LISTING_KINDS)[number]

/** A check as the service stores it, regardless of what the listing shows. */
export interface StoredCheck {
  readonly uuid: string
  readonly name: string
  readonly customerId: number
  readonly protocol: string
  readonly target: string
  readonly port: number
  readonly frequency: number
  /** The server address that someone set. Undefined if the service resolves it. */
  readonly configuredAddress?: string | undefined
  readonly verifySsl?: boolean | undefined
  readonly modifiedAt: Date
  readonly alerts: readonly { readonly id: string; readonly recipients: readonly string[] }[]
}

/** A write that the service carried out. */
export interface Change {
  readonly by: string
  readonly account: string
  readonly op: 'create' | 'update' | 'delete' | 'alerts'
  readonly uuid: string
  readonly before: StoredCheck | undefined
  readonly after: StoredCheck | undefined
}

export const FAULTS = ['not-sent', 'lost', 'never-arrived', 'unauthorized', 'rejected', 'busy'] as const
export type Fault = (typeof FAULTS)[number]

/** An in-memory fake of the service, with several accounts, one kind of listing, faults, and a journal of all writes. */
export class FakeService {
  readonly journal: Change[] = []
  /** The next fault, and after how many calls it occurs. */
  fault: { after: number; kind: Fault } | undefined
  onFault: (kind: Fault) => void = () => undefined
  /** Who makes the next writes, for the journal. */
  by = 'setup'
  readonly listingKind: ListingKind
  readonly #accounts = new Map<string, Map<string, StoredCheck>>()
  readonly #tokens = new Map<string, string>()
  /** The checks before the last write, which an outdated listing still shows for the next reads. */
  #outdated: { account: string; rows: StoredCheck[]; remainingReads: number } | undefined
  #clock = Date.UTC(2026, 10, 1)
  #ids = 0

  constructor(listingKind: ListingKind) {
    this.listingKind = listingKind
  }

  addToken(token: string, account: string): void {
    this.#tokens.set(token, account)
  }
  all(account: string): StoredCheck[] {
    return [...this.#checksIn(account).values()]
  }
  find(account: string, uuid: string): StoredCheck | undefined {
    return this.#checksIn(account).get(uuid)
  }
  #checksIn(account: string): Map<string, StoredCheck> {
    const found = this.#accounts.get(account) ?? new Map<string, StoredCheck>()
    this.#accounts.set(account, found)
    return found
  }

  #write(
    account: string,
    op: Change['op'],
    uuid: string,
    next: Omit<StoredCheck, 'modifiedAt'> | undefined,
  ): void {
    const all = this.#checksIn(account)
    const before = all.get(uuid)
    if (op !== 'alerts') this.#outdated = { account, rows: [...all.values()], remainingReads: 2 }
    this.#clock += 1000
    const modifiedAt = op === 'alerts' && before ? before.modifiedAt : new Date(this.#clock)
    const after = next && { ...next, modifiedAt }
    if (after) all.set(uuid, after)
    else all.delete(uuid)
    this.journal.push({ by: this.by, account, op, uuid, before, after })
  }
  create(
    account: string,
    { httpServerAddress: configuredAddress, ...body }: HealthCheckBody,
    alerts: readonly (readonly string[])[] = [],
  ): string {
    this.#ids += 1
    const uuid = `00000000-0000-4000-8000-${String(this.#ids).padStart(12, '0')}`
    const verifySsl = body.protocol === 'HTTPS' ? (body.verifySsl ?? true) : undefined
    const lists = alerts.map((recipients, at) => ({ id: `${this.#ids}0${at}`, recipients }))
    this.#write(account, 'create', uuid, { uuid, ...body, configuredAddress, verifySsl, alerts: lists })
    return uuid
  }
  /** Someone else changes a check. */
  change(account: string, uuid: string, change: Partial<StoredCheck>): void {
    const now = this.find(account, uuid)
    if (now) this.#write(account, 'alerts' in change ? 'alerts' : 'update', uuid, { ...now, ...change })
  }
  remove(account: string, uuid: string): void {
    if (this.find(account, uuid)) this.#write(account, 'delete', uuid, undefined)
  }
  /** Lets an outdated listing catch up. */
  catchUp(): void {
    this.#outdated = undefined
  }

  api(token: string): Api {
    const findAccount = () => this.#getAccount(token)
    return {
      environment: 'production',
      account: accountFromToken(token),
      healthChecks: {
        list: async (query: HealthCheckQuery = {}) => {
          const results = this.#listRows(findAccount(), query)
          return { total: results.length, unreadable: 0, results }
        },
        listAll: (query: HealthCheckQuery = {}) => this.#listPages(findAccount, query),
        get: async (uuid: string) => this.#handleGet(findAccount(), uuid),
        create: async (body: HealthCheckBody) => this.#handleCreate(findAccount(), body),
        update: async (uuid: string, body: HealthCheckBody) => this.#handleUpdate(findAccount(), uuid, body),
        delete: async (uuid: string) =>
          this.#handleWrite(findAccount(), uuid, () => this.#write(findAccount(), 'delete', uuid, undefined)),
      },
      alerts: this.#makeAlertCalls(findAccount),
      tokens: {
        list: async () => {
          const tokens = [...this.#tokens]
            .filter(([, owner]) => owner === findAccount())
            .map(([token]) => ({ token }))
          return { tokens, unreadable: 0 }
        },
      },
      // The tests use only these methods.
    } as unknown as Api
  }

  async *#listPages(account: () => string, query: HealthCheckQuery) {
    const results = this.#listRows(account(), query)
    yield { total: results.length, unreadable: 0, results }
  }
  #makeAlertCalls(account: () => string) {
    const updateAlerts = (uuid: string, changeAlerts: (now: StoredCheck) => StoredCheck['alerts']) =>
      this.#handleWrite(account(), uuid, (now) =>
        this.#write(account(), 'alerts', uuid, { ...now, alerts: changeAlerts(now) }),
      )
    return {
      list: async (uuid: string) => {
        this.#throwFault(false)
        const { alerts } = this.#require(account(), uuid)
        return alerts.map(({ id, recipients }) => ({ id, type: 'EMAIL', recipients }))
      },
      create: async (uuid: string, { recipients }: { recipients: readonly string[] }) => {
        this.#ids += 1
        const id = String(this.#ids)
        updateAlerts(uuid, ({ alerts }) => [...alerts, { id, recipients }])
        return { id, type: 'EMAIL', recipients }
      },
      update: async (uuid: string, id: string, { recipients }: { recipients: readonly string[] }) => {
        updateAlerts(uuid, ({ alerts }) =>
          alerts.map((alert) => (alert.id === id ? { id, recipients } : alert)),
        )
        return { id, type: 'EMAIL', recipients }
      },
      delete: async (uuid: string, id: string) =>
        updateAlerts(uuid, ({ alerts }) => alerts.filter((alert) => alert.id !== id)),
    }
  }

  #getAccount(token: string): string {
    const account = this.#tokens.get(token)
    if (account === undefined) throw new ApiError('unauthorized', 'no such token', { status: 401 })
    return account
  }
  #require(account: string, uuid: string): StoredCheck {
    const found = this.find(account, uuid)
    if (!found)
      throw new ApiError('not-found', 'gone', {
        status: 404,
        serviceMessages: ['There is no such health check.'],
      })
    return found
  }
  /** Throws the next fault if it's due. If only the response is lost, returns the error instead, to be thrown after the write. */
  #throwFault(isWrite: boolean): ApiError | undefined {
    if (!this.fault || this.fault.after-- > 0) return undefined
    const { kind } = this.fault
    this.fault = undefined
    this.onFault(kind)
    if (kind === 'unauthorized') throw new ApiError('unauthorized', 'refused', { status: 401 })
    if (kind === 'busy') throw new ApiError('rate-limited', 'busy', { status: 429, retryAfterSeconds: 0 })
    if (kind === 'rejected' && isWrite)
      throw new ApiError('rejected', 'bad', { status: 400, serviceMessages: ['Not like this.'] })
    if (kind === 'not-sent' || kind === 'rejected' || !isWrite) throw new ApiError('unavailable', 'down')
    const lost = new ApiError('timeout', 'lost', { mayHaveHappened: true })
    if (kind === 'never-arrived') throw lost
    return lost
  }
  #handleWrite<T>(account: string, uuid: string, write: (now: StoredCheck) => T): T {
    const lost = this.#throwFault(true)
    const done = write(this.#require(account, uuid))
    if (lost) throw lost
    return done
  }
  #handleCreate(account: string, body: HealthCheckBody): HealthCheck {
    const lost = this.#throwFault(true)
    const isTaken = this.all(account).some(
      ({ name, customerId }) =>
        name.toLowerCase() === body.name.toLowerCase() && customerId === body.customerId,
    )
    if (isTaken)
      throw new ApiError('conflict', 'taken', { status: 409, serviceMessages: ['The name is taken.'] })
    const uuid = this.create(account, body)
    if (lost) throw lost
    return this.#toHealthCheck(this.#require(account, uuid), () => ({}))
  }
  #handleUpdate(
    account: string,
    uuid: string,
    { httpServerAddress: configuredAddress, ...body }: HealthCheckBody,
  ): HealthCheck {
    return this.#handleWrite(account, uuid, (now) => {
      const verifySsl = body.protocol === 'HTTPS' ? (body.verifySsl ?? true) : undefined
      this.#write(account, 'update', uuid, { ...now, ...body, configuredAddress, verifySsl })
      return this.#toHealthCheck(this.#require(account, uuid), () => ({}))
    })
  }
  #handleGet(account: string, uuid: string): HealthCheck {
    this.#throwFault(false)
    return this.#toHealthCheck(this.#require(account, uuid), (check) => ({
      ...(check.protocol !== 'TCP' && { httpServerAddress: shownAddress(check) }),
      ...(check.verifySsl !== undefined && { verifySsl: check.verifySsl }),
    }))
  }
  #toHealthCheck(
    { uuid, name, customerId, protocol, target, port, frequency, modifiedAt, ...check }: StoredCheck,
    more: (check: StoredCheck) => object,
  ) {
    const fields = { uuid, name, customerId, protocol, target, port, frequency, modifiedAt }
    return { ...fields, status: 'HEALTHY', ...more({ ...fields, ...check }) } as HealthCheck
  }
  #listRows(account: string, { name, target, customerId }: HealthCheckQuery): HealthCheck[] {
    this.#throwFault(false)
    const isOutdated =
      this.listingKind === 'outdated' &&
      this.#outdated?.account === account &&
      this.#outdated.remainingReads-- > 0
    const rows = isOutdated ? (this.#outdated?.rows ?? []) : this.all(account)
    const isMatch = (check: StoredCheck): boolean =>
      (name === undefined ||
        (name.endsWith('*') ? check.name.startsWith(name.slice(0, -1)) : check.name === name)) &&
      (target === undefined || check.target === target) &&
      (customerId === undefined || check.customerId === customerId)
    return rows
      .filter(isMatch)
      .map((check) => this.#toHealthCheck(check, (stored) => this.#listedFields(stored)))
  }
  #listedFields(check: StoredCheck): object {
    const verify = check.verifySsl === undefined ? {} : { verifySsl: check.verifySsl }
    const { configuredAddress } = check
    switch (this.listingKind) {
      case 'none':
        return {}
      case 'ssl-only':
        return verify
      case 'all':
        return { ...verify, ...(check.protocol !== 'TCP' && { httpServerAddress: shownAddress(check) }) }
      default:
        return { ...verify, ...(configuredAddress !== undefined && { httpServerAddress: configuredAddress }) }
    }
  }
}

const shownAddress = ({ configuredAddress, target }: StoredCheck): string =>
  configuredAddress ?? (/^[\d.]+$/.test(target) ? target : `198.51.100.${(target.length * 7) % 250}`)
